type Rgb = readonly [red: number, green: number, blue: number]

/** Silence has the page's own surface, the loudest contrasts with it: one even scale each, and no colour of an approach. */
const SCALES: Record<'light' | 'dark', { silent: Rgb; loudest: Rgb }> = {
  light: { silent: [255, 255, 255], loudest: [20, 50, 110] },
  dark: { silent: [20, 23, 28], loudest: [188, 220, 255] },
}

/** Colour of a loudness from 0 to 1. */
export function loudnessColour(level: number, scheme: 'light' | 'dark'): Rgb {
  const { silent, loudest } = SCALES[scheme]
  const between = (from: number, to: number): number => Math.round(from + (to - from) * level)
  return [between(silent[0], loudest[0]), between(silent[1], loudest[1]), between(silent[2], loudest[2])]
}
