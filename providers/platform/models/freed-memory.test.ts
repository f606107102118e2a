import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { giveBackFreedMemory } from './freed-memory.ts'
import { tokensOf } from './builtin/language/tokens.ts'

/** Fills the heap, lets go of everything, collects garbage as V8 does by itself, and prints the memory in MB before and after. */
const SCRIPT = `
  import { giveBackFreedMemory, permitGivingBack } from ${JSON.stringify(join(import.meta.dirname, 'freed-memory.ts'))}
  permitGivingBack()
  const { runInNewContext } = await import('node:vm')
  let kept = []
  for (let at = 0; at < 900_000; at += 1) kept.push({ at, text: 'text ' + at })
  kept = null
  for (const _ of [1, 2]) runInNewContext('gc')()
  const megabytes = () => process.memoryUsage.rss() / 1e6
  const before = megabytes()
  const given = giveBackFreedMemory(0)
  console.log(JSON.stringify({ given, before, after: megabytes() }))
`

it('gives back what V8 keeps of a heap that has shrunk', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], { encoding: 'utf8' })
  const { given, before, after } = JSON.parse(output) as { given: boolean; before: number; after: number }
  expect(given).toBe(true)
  expect(before - after).toBeGreaterThan(25)
})

it('leaves a small process alone', () => {
  expect(giveBackFreedMemory(Number.MAX_SAFE_INTEGER)).toBe(false)
})

it('drops the words of recent texts, which are split again when they are needed', () => {
  const text = 'The nine ships left Harwich.'
  const words = tokensOf(text)
  expect(tokensOf(text)).toBe(words)
  giveBackFreedMemory(Number.MAX_SAFE_INTEGER)
  expect(tokensOf(text)).toBe(words)
  giveBackFreedMemory(0)
  expect(tokensOf(text)).not.toBe(words)
  expect(tokensOf(text)).toEqual(words)
})
