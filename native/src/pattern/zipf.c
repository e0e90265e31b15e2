/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/zipf.h"

#include <math.h>

/* The integral of x^-theta up to a constant, and its inverse; both stay exact near
 * theta = 1, where the power turns into a logarithm. */
static double integral(const struct zipf *z, double x)
{
	const double log_x = log(x), t = (1 - z->theta) * log_x;

	return log_x * (fabs(t) > 1e-8 ? expm1(t) / t : 1 + t / 2);
}

static double inverse(const struct zipf *z, double y)
{
	const double t = fmax(y * (1 - z->theta), -1);

	return exp(y * (fabs(t) > 1e-8 ? log1p(t) / t : 1 - t / 2));
}

static double density(const struct zipf *z, double x)
{
	return exp(-z->theta * log(x));
}

void zipf_init(struct zipf *z, uint64_t count, double theta)
{
	*z = (struct zipf){ .count = count, .theta = theta };
	z->from = integral(z, 1.5) - 1;
	z->to = integral(z, (double)count + 0.5);
	z->sure = 2 - inverse(z, integral(z, 2.5) - density(z, 2));
}

uint64_t zipf_draw(const struct zipf *z, struct random *r)
{
	for (;;) {
		const double u = (double)(random_next(r) >> 11) * 0x1p-53;
		const double y = z->to + u * (z->from - z->to);
		const double x = inverse(z, y);
		double k = floor(x + 0.5);

		k = k < 1 ? 1 : k > (double)z->count ? (double)z->count : k;
		if (k - x <= z->sure || y >= integral(z, k + 0.5) - density(z, k))
			return (uint64_t)k - 1;
	}
}
