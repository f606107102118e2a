import { describe, expect, it } from 'vitest'
import { differenceDomain, heat, heatDomain, heatOf } from './heat.ts'

/** Relative luminance of WCAG 2 of `rgb(r g b)`. */
function luminance(colour: string): number {
  const [r, g, b] = colour.match(/\d+/g)!.map((part) => {
    const share = Number(part) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}
const contrast = (a: string, b: string): number => {
  const [low, high] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (high! + 0.05) / (low! + 0.05)
}

describe('heat', () => {
  it('has readable ink on each end of the scale', () => {
    expect(heat(0, 'light')).toEqual({ background: 'rgb(238 243 248)', ink: '#000000' })
    expect(heat(1, 'light')).toEqual({ background: 'rgb(32 84 133)', ink: '#ffffff' })
    expect(heat(7, 'light')).toEqual(heat(1, 'light'))
  })

  it('keeps failing cells apart from a dark page, and good ones from glaring', () => {
    const page = 'rgb(20 23 28)'
    const steps = Array.from({ length: 21 }, (_, step) => heat(step / 20, 'dark'))
    // WCAG asks 3:1 of graphics and 4.5:1 of text.
    for (const { background } of steps) expect(contrast(background, page)).toBeGreaterThan(3)
    expect(contrast(steps.at(-1)!.background, page)).toBeLessThan(10)
    for (const { background, ink } of steps)
      expect(contrast(background, ink === '#000000' ? 'rgb(0 0 0)' : 'rgb(255 255 255)')).toBeGreaterThan(4.5)
    const lights = steps.map(({ background }) => luminance(background))
    expect(lights).toEqual(lights.toSorted((a, b) => a - b))
  })
})

describe('differences', () => {
  const scores = differenceDomain(heatDomain('faithfulness', 0, 'light'))
  const latency = differenceDomain(heatDomain('latency_ms', 1000, 'light'))

  it('are coloured around 0, the better side alike for scores and latency', () => {
    expect(scores).toEqual({ worst: -0.5, best: 0.5, scheme: 'light', diverging: true })
    expect(latency).toEqual({ worst: 1000, best: -1000, scheme: 'light', diverging: true })
    expect(heatOf(0.5, scores)).toEqual(heatOf(-1000, latency))
    expect(heatOf(0, scores)).toEqual({ background: 'rgb(246 247 249)', ink: '#000000' })
  })
})
