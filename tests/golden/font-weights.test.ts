import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

/** Text, labels and what can be pressed, headings and what is decided. */
const WEIGHTS = ['400', '550', '650']

it('style sheets of the panel draw text in three weights', () => {
  const others = globSync('renderer/**/*.css', { cwd: PROJECT_ROOT }).flatMap((file) =>
    [...readFileSync(join(PROJECT_ROOT, file), 'utf8').matchAll(/font-weight: ([^;]+);/g)]
      .filter(([, weight]) => !WEIGHTS.includes(weight!))
      .map(([declaration]) => `${file}: ${declaration}`),
  )
  expect(others).toEqual([])
})
