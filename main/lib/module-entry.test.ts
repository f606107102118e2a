import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { moduleEntry, moduleFile } from './module-entry.ts'

it('names an entry with the ending of the module that asks', () => {
  expect(moduleEntry('./thread', 'file:///app/main/run-index/open.ts').href).toBe(
    'file:///app/main/run-index/thread.ts',
  )
  expect(moduleEntry('../x/index', 'file:///app.asar/main/a/b.js').href).toBe('file:///app.asar/main/x/index.js')
  expect(moduleEntry('./thread', 'file:///app/b.mjs?v=1').href).toBe('file:///app/thread.mjs')
  expect(existsSync(moduleFile('./module-entry', import.meta.url))).toBe(true)
})
