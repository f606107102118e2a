import { expect, it } from 'vitest'
import { asJavaScript } from './strip-types.ts'

it('takes the types out and calls neighbours by their new names, lines unmoved', () => {
  const source = [
    `import { a } from './a.ts'`,
    `import type { B } from '../b.ts'`,
    `const worker = new URL('./worker.ts', import.meta.url)`,
    `export const c = (value: number): B => a(value, 'notes.ts is a file', worker)`,
    `const lazy = () => import("./d/e.ts")`,
  ].join('\n')
  const made = asJavaScript(source)
  expect(made.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '))).toEqual([
    `import { a } from './a.js'`,
    ``,
    `const worker = new URL('./worker.js', import.meta.url)`,
    `export const c = (value ) => a(value, 'notes.ts is a file', worker)`,
    `const lazy = () => import("./d/e.js")`,
  ])
})
