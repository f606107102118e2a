import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LabelPoint, type PlacedLabel, placeLabels } from './place-labels.ts'

const AREA = { left: 0, right: 600, top: 0, bottom: 340 }
const boxOf = ({ x, y }: PlacedLabel, { width }: LabelPoint) => ({
  left: x,
  right: x + width,
  top: y - 11,
  bottom: y + 3,
})

function collisions(points: readonly LabelPoint[]): number {
  const boxes = placeLabels(points, AREA).map((label, index) => boxOf(label, points[index]!))
  return boxes.flatMap((a, index) =>
    boxes.slice(index + 1).filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom),
  ).length
}

describe('placeLabels', () => {
  it('writes a lonely name right above its point', () =>
    expect(placeLabels([{ x: 100, y: 100, width: 60 }], AREA)).toEqual([{ x: 109, y: 94, isFar: false }]))

  it('keeps names of equal points apart and joins the far ones to their point', () => {
    const same = Array.from({ length: 7 }, () => ({ x: 300, y: 170, width: 90 }))
    expect(collisions(same)).toBe(0)
    expect(placeLabels(same, AREA).filter(({ isFar }) => isFar).length).toBeGreaterThan(0)
  })

  it('writes to the left where the right edge is near', () => {
    const [label] = placeLabels([{ x: 590, y: 100, width: 80 }], AREA)
    expect(label!.x + 80).toBeLessThan(590)
  })

  it('never lets seven names of usual length collide, wherever the points are', () => {
    const point = fc.record({
      x: fc.integer({ min: 8, max: 592 }),
      y: fc.integer({ min: 20, max: 330 }),
      width: fc.integer({ min: 30, max: 110 }),
    })
    fc.assert(
      fc.property(fc.array(point, { maxLength: 7 }), (points) => {
        expect(collisions(points)).toBe(0)
      }),
    )
  })
})
