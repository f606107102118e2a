import { METRICS } from '../../contract/metrics/metrics.ts'

/** One hue, from paper to ink: the more, the darker. Even steps of lightness, so that equal differences of a score look equal. */
const LIGHT = [
  '#eef3f8',
  '#d6e4f1',
  '#bcd3e8',
  '#a1c1de',
  '#85add3',
  '#6a99c6',
  '#5186b7',
  '#3c74a7',
  '#2b6397',
  '#205485',
]

/** The same hue for a dark page, from ink to light. Its worst end still stands out from the page, and its best end does not glare. */
const DARK = ['#526982', '#5c7592', '#6782a3', '#7291b4', '#7f9fc5', '#8dadd2', '#98b7d9', '#a3c0df']

/** From worse to better by way of no difference; orange and blue stay apart for colour-blind eyes. The middle is the page's own surface. */
const DIVERGING = {
  light: ['#b35806', '#e08b3e', '#f7c993', '#f6f7f9', '#b5d0ea', '#6a9fd0', '#1f5f9e'],
  dark: ['#f0953f', '#b8681f', '#6b431f', '#1b1f26', '#1f4266', '#2f6ba3', '#62aaea'],
} as const

const channels = (hex: string): [number, number, number] => [
  parseInt(hex.slice(1, 3), 16),
  parseInt(hex.slice(3, 5), 16),
  parseInt(hex.slice(5, 7), 16),
]

/** Relative luminance of WCAG 2. */
function luminance(rgb: readonly number[]): number {
  const [r, g, b] = rgb.map((value) => {
    const part = value / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

/** A colour and an ink that is readable on it. */
export interface HeatLook {
  background: string
  ink: string
}

function between(stops: readonly string[], share: number): HeatLook {
  const place = Math.min(1, Math.max(0, share)) * (stops.length - 1)
  const low = Math.floor(place)
  const from = channels(stops[low]!)
  const to = channels(stops[Math.min(low + 1, stops.length - 1)]!)
  const rgb = from.map((value, index) => Math.round(value + (to[index]! - value) * (place - low)))
  const light = luminance(rgb)
  const ink = (light + 0.05) / 0.05 > 1.05 / (light + 0.05) ? '#000000' : '#ffffff'
  return { background: `rgb(${rgb.join(' ')})`, ink }
}

/** Background and readable ink for a share from 0 (worst) to 1 (best). */
export const heat = (share: number, scheme: 'light' | 'dark'): HeatLook =>
  between(scheme === 'dark' ? DARK : LIGHT, share)

/** The values at the two ends of the scale, and the page's colour scheme. `diverging`: of differences, even around 0. */
export interface HeatDomain {
  worst: number
  best: number
  scheme: 'light' | 'dark'
  diverging?: true
}

/** Fixed for scores, so that one colour means one value on every page; for latency up to twice the slowest median. */
export function heatDomain(metric: string, slowestMeanMs: number, scheme: HeatDomain['scheme']): HeatDomain {
  const [least, greatest] = METRICS.find(({ id }) => id === metric)?.range ?? [0, 1]
  if (greatest === null)
    return { worst: Math.max(1000, Math.ceil((2 * slowestMeanMs) / 1000) * 1000), best: least, scheme }
  return { worst: least, best: greatest, scheme }
}

/** Half of a metric's range to each side: what is further away has the colour of the end. */
export function differenceDomain({ worst, best, scheme }: HeatDomain): HeatDomain {
  const reach = Math.abs(best - worst) / 2
  return { worst: best > worst ? -reach : reach, best: best > worst ? reach : -reach, scheme, diverging: true }
}

/** Position of a value in a domain, 0 to 1. */
const heatShare = (value: number, { worst, best }: HeatDomain): number => (value - worst) / (best - worst)

/** Colour of a value in its domain. */
export const heatOf = (value: number, domain: HeatDomain): HeatLook =>
  domain.diverging === undefined
    ? heat(heatShare(value, domain), domain.scheme)
    : between(DIVERGING[domain.scheme], heatShare(value, domain))
