import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FAULTS } from '../faults/faults.ts'
import { proofsOf, tableOf } from '../faults/prove-faults.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const all = Object.values(FAULTS).flat()
const nameFor: Readonly<Record<string, string>> = Object.fromEntries(
  all.map(({ fault, test }) => [fault, test.source.replace(/\\d\+/g, '12').replace(/\\(.)/g, '$1').replace(/\$$/, '')]),
)
const run = (status: string) => all.map(({ fault, file }) => ({ file, name: nameFor[fault]!, status }))

describe('the table of faults', () => {
  it('names each fault once, with a file that exists', () => {
    expect(new Set(all.map(({ fault }) => fault)).size).toBe(all.length)
    expect(all.filter(({ file }) => !existsSync(join(PROJECT_ROOT, file)))).toEqual([])
  })

  it('counts a fault only where its test passed', () => {
    expect(tableOf(proofsOf(run('passed')))).toMatch(new RegExp(`faults: ${all.length} of ${all.length} survived$`))
    const failed = tableOf(proofsOf(run('failed')))
    expect(failed).toMatch(new RegExp(`faults: 0 of ${all.length} survived$`))
    expect(failed).toContain('▲ answers 500  0 passed')
    expect(tableOf(proofsOf([]))).toContain('no test has this name')
  })
})
