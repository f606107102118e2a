import { describe, expect, it } from 'vitest'
import { publishedReport } from './published-results.ts'

const age = (changed: string[] | null) => new Map([['smoke', { revision: 'a'.repeat(40), changed }]])
const WARNS = 'The published run is older than this version, see there.'

describe('publishedReport', () => {
  it('requires the warning in the README while the code has changed since the published revision', () => {
    expect(publishedReport(age(['main/runner/cells/call-approach.ts']), 'Figures.').problems).toEqual([
      'README.md shows results that are older than the code (smoke: 1 part since aaaaaaaa): say "The published run is older than this version"',
    ])
    expect(publishedReport(age(['main/runner/cells/call-approach.ts']), WARNS).problems).toEqual([])
  })

  it('refuses the warning where nothing has changed, and reports an age that git does not know as skipped', () => {
    expect(publishedReport(age([]), WARNS).problems).toHaveLength(1)
    expect(publishedReport(age([]), 'Figures.')).toEqual({ problems: [], note: 'of this version' })
    expect(publishedReport(age(null), 'Figures.').skipped).toContain('git does not have the commits')
  })
})
