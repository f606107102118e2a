import { describe, expect, it } from 'vitest'
import { loudnessColour } from './spectrogram-colours.ts'

/** `--surface` of base.css. */
const SURFACES = { light: [255, 255, 255], dark: [20, 23, 28] }

describe.each(['light', 'dark'] as const)('in the %s scheme', (scheme) => {
  it('silence has the colour of the page', () => {
    expect(loudnessColour(0, scheme)).toEqual(SURFACES[scheme])
  })

  it('what is louder is further from it', () => {
    const brightness = (level: number): number => loudnessColour(level, scheme).reduce((sum, part) => sum + part)
    const steps = [0, 0.25, 0.5, 0.75, 1].map((level) => Math.abs(brightness(level) - brightness(0)))
    expect(steps).toEqual(steps.toSorted((a, b) => a - b))
    expect(steps.at(-1)).toBeGreaterThan(500)
  })
})
