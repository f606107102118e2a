import { describe, expect, it } from 'vitest'
import { PAGE_STYLE } from './page-style.ts'

function colours(block: string): Map<string, string> {
  return new Map(Array.from(block.matchAll(/--([\w-]+): (#[0-9a-f]{6,8});/g), ([, name, value]) => [name!, value!]))
}

const [light, dark] = [
  colours(PAGE_STYLE.slice(0, PAGE_STYLE.indexOf('@media'))),
  colours(PAGE_STYLE.slice(PAGE_STYLE.indexOf('@media'), PAGE_STYLE.indexOf('* {'))),
]

const channel = (colour: string, at: number): number => Number.parseInt(colour.slice(at, at + 2), 16) / 255

const over = (colour: string, ground: string): number[] => {
  const alpha = colour.length === 9 ? channel(colour, 7) : 1
  return [1, 3, 5].map((at) => channel(colour, at) * alpha + channel(ground, at) * (1 - alpha))
}

/** Relative luminance of WCAG 2.2. */
const luminance = (rgb: readonly number[]): number =>
  rgb
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index]!, 0)

function contrast(text: string, background: string, ground: string): number {
  const [a, b] = [luminance(over(text, ground)), luminance(over(background, ground))]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

describe.each([
  ['light', light],
  ['dark', dark],
])('the %s colours', (_name, tokens) => {
  const token = (name: string): string => tokens.get(name)!

  it.each([
    ['text', ['surface', 'surface-2', 'better', 'better-far', 'worse', 'worse-far']],
    ['dim', ['surface', 'surface-2']],
    ['link', ['surface', 'surface-2']],
    ['good', ['surface']],
    ['bad', ['surface']],
    ['warn', ['surface']],
  ])('%s is readable on each of its backgrounds', (text, grounds) => {
    for (const background of grounds)
      expect(contrast(token(text), token(background), token('surface'))).toBeGreaterThanOrEqual(4.5)
  })
})
