import { expect, it } from 'vitest'
import { Identifier } from '../contract/common.ts'
import { runNameOf } from './run-name.ts'

const NOW = new Date(2026, 10, 30, 14, 5, 9)

it('a run without a name is named after its datasets, its models and the time', () => {
  expect(runNameOf(['handbook'], 'qwen3-4b', NOW)).toBe('handbook-qwen3-4b-2026-11-30-140509')
  expect(runNameOf(['one', 'two', 'three'], 'builtin', NOW)).toBe('one-and-2-more-builtin-2026-11-30-140509')
})

it('the name is an identifier however long its parts are', () => {
  expect(Identifier.parse(runNameOf(['d'.repeat(128), 'e'], 'm'.repeat(128), NOW))).toMatch(/^d{48}-and-1-more-m{48}-/)
})
