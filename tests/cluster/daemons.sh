# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: MIT
# daemons.sh - sshd, munged, slurmctld and two slurmd of our own, on loopback,
# with all their files in $tmp; sourced by run.sh.  They run as whoever calls.

# N ports in a row that nobody listens on; /proc has them in hexadecimal.
listens() { # PORT
	grep -shiq ":$(printf %04X "$1") 0\{8,32\}:0000 0A" /proc/net/tcp \
		/proc/net/tcp6
}
free_ports() { # N
	port=$((20000 + $$ % 20000))
	i=0
	while [ "$i" -lt "$1" ]; do
		if listens $((port + i)); then
			port=$((port + i + 1)) i=0
		else
			i=$((i + 1))
		fi
	done
}
wait_for() { # SECONDS COMMAND ...
	left=$(($1 * 10))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$left" -gt 0 ] || return 1
		left=$((left - 1))
		sleep 0.1
	done
}

start_sshd() {
	ssh-keygen -q -t ed25519 -N '' -f "$tmp/ssh/host"
	ssh-keygen -q -t ed25519 -N '' -f "$tmp/ssh/user"
	cat >"$tmp/ssh/sshd_config" <<-END
		Port $port
		ListenAddress 127.0.0.1
		HostKey $tmp/ssh/host
		PidFile $tmp/pid/sshd
		AuthorizedKeysFile $tmp/ssh/user.pub
		PermitRootLogin prohibit-password
		PasswordAuthentication no
		UsePAM no
		StrictModes no
		MaxStartups 100:30:200
	END
	cat >"$tmp/ssh/config" <<-END
		Host w1 w2
		HostName 127.0.0.1
		Port $port
		IdentityFile $tmp/ssh/user
		IdentitiesOnly yes
		StrictHostKeyChecking no
		UserKnownHostsFile $tmp/ssh/known
		LogLevel ERROR
		ServerAliveInterval 5
	END
	# only root's sshd wants this folder
	[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
	"$(command -v sshd)" -f "$tmp/ssh/sshd_config" -E "$tmp/log/sshd"
	wait_for 10 ssh -F "$tmp/ssh/config" w1 true
}

start_munged() {
	head -c 1024 /dev/urandom >"$tmp/munge/key"
	chmod 600 "$tmp/munge/key"
	munged --force --key-file="$tmp/munge/key" \
		--socket="$tmp/munge/socket" --pid-file="$tmp/pid/munged" \
		--log-file="$tmp/log/munged" --seed-file="$tmp/munge/seed" \
		2>"$tmp/log/munged.err"
}
# A node that is silent for ten seconds is down, and its jobs run elsewhere.
configure_slurm() {
	host=$(hostname -s) me=$(id -un)
	cat >"$tmp/slurm/slurm.conf" <<-END
		ClusterName=loopback
		SlurmctldHost=$host(127.0.0.1)
		SlurmUser=$me
		SlurmdUser=$me
		AuthType=auth/munge
		AuthInfo=socket=$tmp/munge/socket
		CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
		SlurmctldPort=$((port + 1))
		SlurmctldPidFile=$tmp/pid/slurmctld
		SlurmdPidFile=$tmp/pid/slurmd.%n
		SlurmctldLogFile=$tmp/log/slurmctld
		SlurmdLogFile=$tmp/log/slurmd.%n
		StateSaveLocation=$tmp/slurm/state
		SlurmdSpoolDir=$tmp/slurm/spool.%n
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SlurmdParameters=config_overrides
		SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
		ReturnToService=2
		MpiDefault=none
		KillWait=1
		MessageTimeout=5
		SlurmdTimeout=10
		SlurmctldTimeout=10
		NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2
		NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 3)) CPUs=2
		PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
	END
}
nodes_idle() {
	[ "$(sinfo -h -N -t idle -o %N | wc -l)" -eq 2 ]
}
start_slurm() {
	export SLURM_CONF="$tmp/slurm/slurm.conf"
	start_munged
	configure_slurm
	slurmctld -c >"$tmp/log/slurmctld.out" 2>&1
	slurmd -N n1 >"$tmp/log/slurmd.out" 2>&1
	slurmd -N n2 >>"$tmp/log/slurmd.out" 2>&1
	wait_for 20 nodes_idle
}

# By its pid file; what does not listen to TERM is killed.
stop() { # NAME
	[ -s "$tmp/pid/$1" ] || return 0
	pid=$(cat "$tmp/pid/$1")
	kill "$pid" 2>/dev/null || return 0
	wait_for 10 gone "$pid" || kill -9 "$pid"
	rm -f "$tmp/pid/$1"
}
gone() { # PID
	! kill -0 "$1" 2>/dev/null
}
# Processes that hold on to our folder by their command line.
leftovers() {
	ps -eo pid=,args= | grep -F "$tmp" | grep -vF grep
}
stop_all() {
	if [ -s "$tmp/pid/slurmctld" ]; then
		scancel --user="$(id -un)" 2>/dev/null || true
		wait_for 5 sh -c '[ -z "$(squeue -h)" ]' || true
	fi
	for d in slurmd.n1 slurmd.n2 slurmctld munged sshd; do
		stop $d
	done
}
