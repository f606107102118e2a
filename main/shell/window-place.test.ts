import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { JsonFile } from './json-file.ts'
import { placeWindow, WindowPlace } from './window-place.ts'

const screen = { x: 0, y: 0, width: 1920, height: 1080 }
const second = { x: 1920, y: 0, width: 1280, height: 1024 }
const at = (x: number, y: number, width = 1200, height = 800) => ({
  bounds: { x, y, width, height },
  is_maximized: false,
})

it('returns to where it was, on either screen', () => {
  expect(placeWindow(at(100, 50), [screen, second])).toEqual(at(100, 50).bounds)
  expect(placeWindow(at(2000, 10), [screen, second])).toEqual(at(2000, 10).bounds)
})

it.each([
  ['its screen is gone', at(2000, 10)],
  ['its title bar is above the screen', at(100, -60)],
  ['hardly anything of it is left', at(1850, 10)],
  ['it was never open', null],
])('comes up in the middle when %s', (_why, kept) =>
  expect(placeWindow(kept, [screen])).toEqual({ width: 1440, height: 900 }),
)

it('is never larger than the screen nor smaller than can be used', () => {
  expect(placeWindow(null, [{ ...screen, width: 1024, height: 768 }])).toEqual({ width: 1024, height: 768 })
  expect(placeWindow(at(0, 0, 400, 300), [screen])).toEqual({ x: 0, y: 0, width: 960, height: 600 })
})

it('is kept in a file that may be missing or broken', async () => {
  const folder = await temporaryFolder()
  const file = new JsonFile(join(folder, 'window.json'), WindowPlace)
  expect(file.read()).toBeNull()
  await file.write(at(1, 2))
  expect(file.read()).toEqual(at(1, 2))
  await writeFile(join(folder, 'window.json'), '{"bounds":')
  expect(file.read()).toBeNull()
})
