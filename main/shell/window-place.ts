import { z } from 'zod'

const pixels = z.int().min(-100_000).max(100_000)
const Rectangle = z.strictObject({ x: pixels, y: pixels, width: pixels, height: pixels })
type Rectangle = z.infer<typeof Rectangle>

/** Describes where the window was; `bounds` are those it returns to when it is not maximized any more. */
export const WindowPlace = z.strictObject({ bounds: Rectangle, is_maximized: z.boolean() })
export type WindowPlace = z.infer<typeof WindowPlace>

export const SMALLEST = { width: 960, height: 600 }
const USUAL = { width: 1440, height: 900 }
/** So much of the title bar must be on a screen that the window can be taken hold of. */
const GRIP = { width: 120, height: 40 }

const overlap = (from: number, size: number, otherFrom: number, otherSize: number): number =>
  Math.min(from + size, otherFrom + otherSize) - Math.max(from, otherFrom)

const canBeGrasped = ({ x, y, width }: Rectangle, screen: Rectangle): boolean =>
  overlap(x, width, screen.x, screen.width) >= GRIP.width &&
  overlap(y, GRIP.height, screen.y, screen.height) >= GRIP.height

/** Bounds for a new window: where it was when that is still on a screen, else in the middle of the first one, never larger than it. */
export function placeWindow(
  kept: WindowPlace | null,
  screens: readonly Rectangle[],
): Partial<Rectangle> & typeof USUAL {
  const bounds = kept?.bounds
  if (bounds !== undefined && screens.some((screen) => canBeGrasped(bounds, screen)))
    return {
      ...bounds,
      width: Math.max(SMALLEST.width, bounds.width),
      height: Math.max(SMALLEST.height, bounds.height),
    }
  const first = screens[0]
  return first === undefined
    ? USUAL
    : { width: Math.min(USUAL.width, first.width), height: Math.min(USUAL.height, first.height) }
}
