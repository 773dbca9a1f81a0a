/* SPDX-License-Identifier: MIT */
/* nvidia_words.cu - NVIDIA's own host versions, for own/words.cu; nvcc only */
#include <cuda_runtime.h>

extern "C" unsigned
nvidia_word(int number, unsigned a, unsigned b, unsigned c)
{
	int x = (int)a, y = (int)b, z = (int)c;

	switch (number) {
	case 0: return __vimax_s16x2_relu(a, b);
	case 1: return __vimax3_s16x2(a, b, c);
	case 2: return __vimin3_s16x2(a, b, c);
	case 3: return __vimax3_s16x2_relu(a, b, c);
	case 4: return __viaddmax_s16x2(a, b, c);
	case 5: return __viaddmin_s16x2(a, b, c);
	case 6: return __viaddmax_s16x2_relu(a, b, c);
	case 7: return (unsigned)__vimax3_s32(x, y, z);
	case 8: return (unsigned)__vimin3_s32(x, y, z);
	case 9: return (unsigned)__vimax3_s32_relu(x, y, z);
	case 10: return (unsigned)__viaddmax_s32(x, y, z);
	case 11: return (unsigned)__viaddmin_s32(x, y, z);
	case 12: return (unsigned)__viaddmax_s32_relu(x, y, z);
	default: return (unsigned)__vimax_s32_relu(x, y);
	}
}
