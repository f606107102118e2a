import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { labelPlaces, placeLabels } from './names.ts'

describe('placeLabels', () => {
  it('leaves labels alone that have room, and moves the others apart', () => {
    expect(placeLabels([10, 50, 90], 15, 0, 100)).toEqual([10, 50, 90])
    expect(placeLabels([50, 50, 52], 15, 0, 200)).toEqual([50, 65, 80])
    expect(placeLabels([95, 99], 15, 0, 100)).toEqual([85, 100])
  })

  it('keeps the distance, the order and the ends wherever there is room for all', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 350 }), { maxLength: 12 }), (wishes) => {
        const placed = placeLabels(wishes, 15, 0, 300)
        const sorted = placed.toSorted((a, b) => a - b)
        for (const [index, place] of sorted.entries()) {
          expect(place).toBeGreaterThanOrEqual(0)
          expect(place).toBeLessThanOrEqual(300)
          if (index > 0) expect(place - sorted[index - 1]!).toBeGreaterThanOrEqual(15)
        }
        for (const [a, wish] of wishes.entries())
          for (const [b, other] of wishes.entries()) if (wish < other) expect(placed[a]!).toBeLessThan(placed[b]!)
      }),
    )
  })
})

describe('labelPlaces', () => {
  it('gives the labels of points at one height the order in which their lines do not cross', () => {
    const at = (x: number, y: number) => ({ x, y })
    // The lines go down to the right: the point that is farthest from the labels has the lowest one.
    expect(labelPlaces([at(10, 50), at(20, 50), at(30, 50)], 15, 0, 200)).toEqual([80, 65, 50])
    // No room below: the lines go up, and the farthest point has the highest label.
    expect(labelPlaces([at(10, 200), at(20, 200), at(30, 200)], 15, 0, 200)).toEqual([170, 185, 200])
  })
})
