import { expect, it } from 'vitest'
import { changeKind, type ChangeKind } from './changed-kind.ts'

it.each<[number | null, number | null, 'higher' | 'lower', ChangeKind | null]>([
  [0.5, 0.2, 'higher', 'better'],
  [0, 0.2, 'higher', 'worse'],
  [900, 400, 'lower', 'worse'],
  [300, 400, 'lower', 'better'],
  [0, null, 'higher', 'here'],
  [null, 0, 'lower', 'there'],
  [null, null, 'higher', null],
])('%s here and %s there, where %s is better, is %s', (own, other, better, kind) => {
  expect(changeKind({ values: [own, other] }, better)).toBe(kind)
})
