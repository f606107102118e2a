const LOG_SQRT_TWO_PI = 0.9189385332046727

/** Beyond this many deviations the normal distribution is 0 or 1 in double precision. */
const NORMAL_END = 8.3

/** P(Z ≤ x) of the standard normal, absolute error below 1e-14: the series Φ = ½ + φ(x) Σ x²ᵏ⁺¹ / (1·3·…·(2k+1)) (Marsaglia 2004). */
export function normalCdf(x: number): number {
  if (x > NORMAL_END) return 1
  if (x < -NORMAL_END) return 0
  let term = x
  let sum = 0
  for (let odd = 3; sum + term !== sum; odd += 2) {
    sum += term
    term *= (x * x) / odd
  }
  return 0.5 + sum * Math.exp(-0.5 * x * x - LOG_SQRT_TWO_PI)
}

/** x with P(Z ≤ x) = p, 0 < p < 1. */
export const normalQuantile = (p: number): number => invert(normalCdf, p, -NORMAL_END, NORMAL_END)

/** P(T ≤ t) of Student's t with `df` > 0 degrees of freedom, which need not be whole. */
export function studentCdf(t: number, df: number): number {
  const tail = 0.5 * incompleteBeta(df / (df + t * t), df / 2, 0.5)
  return t > 0 ? 1 - tail : tail
}

/** From here on the expansion is right to twelve digits, and thousands of times as quick. */
const EXPANDED_FROM = 1000

/** The quantiles of a comparison are few, and are asked for by every pair and every experiment of a plan. */
const quantiles = new Map<string, number>()
const MOST_QUANTILES = 1000

/** t with P(T ≤ t) = p, 0 < p < 1. */
export function studentQuantile(p: number, df: number): number {
  if (df >= EXPANDED_FROM) return expandedQuantile(normalQuantile(p), df)
  const key = `${p} ${df}`
  const known = quantiles.get(key)
  if (known !== undefined) return known
  const quantile = invertedQuantile(p, df)
  if (quantiles.size >= MOST_QUANTILES) quantiles.clear()
  quantiles.set(key, quantile)
  return quantile
}

/** Quantile of Student's t from that of the normal, as a series in 1/df (Abramowitz and Stegun 1964, 26.7.5). */
function expandedQuantile(z: number, df: number): number {
  const [z3, z5, z7, z9] = [z ** 3, z ** 5, z ** 7, z ** 9]
  return (
    z +
    (z3 + z) / (4 * df) +
    (5 * z5 + 16 * z3 + 3 * z) / (96 * df ** 2) +
    (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * df ** 3) +
    (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * df ** 4)
  )
}

/** The same for any df, by inverting the distribution. */
export function invertedQuantile(p: number, df: number): number {
  let end = 8
  while (studentCdf(-end, df) > Math.min(p, 1 - p)) end *= 2
  return invert((t) => studentCdf(t, df), p, -end, end)
}

/** Bisection to the last bit: slow beside Newton, but the same steps everywhere. */
function invert(cdf: (x: number) => number, p: number, from: number, to: number): number {
  let [low, high] = [from, to]
  for (;;) {
    const middle = (low + high) / 2
    if (middle <= low || middle >= high) return middle
    if (cdf(middle) < p) low = middle
    else high = middle
  }
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

/** ln Γ(x) for x > 0, relative error about 1e-15 (Lanczos 1964, g = 7). */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  const base = x + 6.5
  const series = LANCZOS.reduce((sum, coefficient, k) => sum + (k === 0 ? coefficient : coefficient / (x - 1 + k)), 0)
  return LOG_SQRT_TWO_PI + (x - 0.5) * Math.log(base) - base + Math.log(series)
}

/** Regularised incomplete beta Iₓ(a, b): its continued fraction (NIST DLMF 8.17.22) by the modified method of Lentz. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a)
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x) - Math.log(a),
  )
  const tiny = 1e-300
  const orTiny = (value: number): number => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / orTiny(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m < 10_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / orTiny(1 + even * d)
    c = orTiny(1 + even / c)
    fraction *= c * d
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / orTiny(1 + odd * d)
    c = orTiny(1 + odd / c)
    fraction *= c * d
    if (Math.abs(c * d - 1) < 1e-15) break
  }
  return front * fraction
}
