import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  approachDescriptor,
  approachLabel,
  BaseApproach,
  DECLARABLE_APPROACHES,
  EXPERIMENTAL_APPROACHES,
} from './approaches.ts'

const ROOT = join(import.meta.dirname, '..')
const AREAS = ['bin', 'charts', 'contract', 'core', 'main', 'preload', 'providers', 'renderer']
/** A file may name a few approaches, such as a default selection; one more than that is a list to keep in step. */
const NAMED_AT_MOST = 3

it('no product file other than the descriptors and the registry lists the approaches', () => {
  const files = globSync(`{${AREAS.join(',')}}/**/*.{ts,tsx,mjs}`, { cwd: ROOT, exclude: ['**/node_modules/**'] })
  expect(files.length).toBeGreaterThan(300)
  const lists = files.filter((file) => {
    if (/\.test\.tsx?$/.test(file)) return false
    const text = readFileSync(join(ROOT, file), 'utf8')
    return BaseApproach.options.filter((base) => text.includes(`'${base}'`)).length > NAMED_AT_MOST
  })
  expect(lists.map((file) => file.replaceAll('\\', '/')).sort()).toEqual([
    'contract/approaches.ts',
    'providers/platform/rag/approaches/registry.ts',
  ])
})

describe('experimental approaches', () => {
  const names = Object.keys(EXPERIMENTAL_APPROACHES) as (keyof typeof EXPERIMENTAL_APPROACHES)[]

  it('are marked by their names, need a language model, and are declared by no project', () => {
    expect(names).toEqual(['hyde-rag', 'multi-query-rag', 'raptor-rag'])
    for (const name of names) {
      expect(approachLabel(name)).toBe(`${name} (experimental)`)
      expect(approachDescriptor(name)).toMatchObject({ experimental: true, isBesides: true })
      expect(approachDescriptor(name).languageModels).toHaveLength(1)
      expect(approachDescriptor(name).parameters.parse(EXPERIMENTAL_APPROACHES[name])).toEqual(
        EXPERIMENTAL_APPROACHES[name],
      )
      expect(DECLARABLE_APPROACHES).not.toContain(name)
    }
    expect([approachLabel('bm25'), approachLabel('hybrid-rag')]).toEqual(['bm25 (baseline)', 'hybrid-rag'])
  })
})
