import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect } from 'vitest'

/** Compares a text with a file below tests/golden; `GOLDEN_UPDATE=1` writes the file instead. */
export function expectGolden(name: string, text: string): void {
  const file = resolve(import.meta.dirname, '../golden', name)
  if (process.env['GOLDEN_UPDATE'] === '1') {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  expect(text).toBe(readFileSync(file, 'utf8'))
}
