import { expect, it } from 'vitest'
import { textAreas } from './text-areas.ts'

/** A map with a filled band along the line through its middle that falls by `slope`. */
function mapWith(slope: number, probability: number) {
  const [width, height] = [400, 100]
  const values = new Float32Array(width * height)
  for (let x = 50; x < 350; x += 1)
    for (let y = 0; y < height; y += 1)
      if (Math.abs(y + 0.5 - 50 - slope * (x + 0.5 - 200)) <= 10) values[y * width + x] = probability
  return { values, width, height }
}

it('an area is the core of a line, larger by half of its share on every side', () => {
  const [area, ...others] = textAreas(mapWith(0, 0.9))
  expect(others).toEqual([])
  // 300 × 20, of which area / perimeter × 1.5 is added on each side.
  const growth = (300 * 20 * 1.5) / (300 + 20)
  expect(area).toMatchObject({ x: 200, y: 50, angle: 0 })
  expect(area!.width).toBeCloseTo(300 + growth, 5)
  expect(area!.height).toBeCloseTo(20 + growth, 5)
})

it('a line that falls by three degrees has an area that is turned by three degrees', () => {
  const slope = Math.tan((3 * Math.PI) / 180)
  const [area] = textAreas(mapWith(slope, 0.9))
  expect((area!.angle * 180) / Math.PI).toBeCloseTo(3, 0)
  expect(Math.abs(area!.x - 200)).toBeLessThan(1)
  expect(Math.abs(area!.y - 50)).toBeLessThan(1)
  expect(area!.height).toBeLessThan(55)
})

it('what the network is unsure of is no text, nor are specks, and a map without text has no areas', () => {
  expect(textAreas(mapWith(0, 0.5))).toEqual([])
  expect(textAreas(mapWith(0, 0))).toEqual([])
  const speck = mapWith(0, 0)
  speck.values[20_200] = 1
  expect(textAreas(speck)).toEqual([])
})
