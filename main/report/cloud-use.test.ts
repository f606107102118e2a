import { describe, expect, it } from 'vitest'
import { cloudApproaches, cloudWords } from '../../core/evidence/cloud-use.ts'
import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import { fixtureDataset, goldenContext, goldenRows, streamOf } from '../../tests/helpers/report-rows.ts'
import { aggregateRun } from '../../tests/helpers/aggregate-run.ts'
import { ladderPage } from './html/ladder-page.ts'
import { ladderMarkdown } from './markdown/ladder-markdown.ts'
import { renderMatrixTable } from './terminal/matrix-table.ts'

const dataset = fixtureDataset('small', 'Small', 1)
const whole = await aggregateRun(streamOf(goldenRows(dataset)), goldenContext(dataset))

/** The run as if only these approaches had called a hosted model. */
function withCloud(models: readonly string[]): Aggregate {
  const copy = structuredClone(whole)
  for (const approach of copy.approaches) {
    delete approach.usage
    approach.operational.cloud_calls.max = models.includes(approach.model) ? 2 : 0
  }
  return copy
}

describe('approaches whose calls leave this machine', () => {
  const [first, second] = whole.approaches.map(({ model }) => model)

  it('are those with a call of a hosted model', () => {
    expect(cloudApproaches([withCloud([second!]), withCloud([first!, second!])])).toEqual([second, first])
    expect(cloudApproaches([withCloud([])])).toEqual([])
    expect(cloudWords([])).toBeNull()
  })

  it('are named in Markdown, HTML and terminal, and only there where there are some', async () => {
    const texts = async (aggregate: Aggregate) => [
      ladderMarkdown([aggregate], []),
      await ladderPage({ aggregates: [aggregate], artifacts: [] }),
      renderMatrixTable([aggregate], { color: false, columns: 200 }),
    ]
    const words = `cloud: for the answers of ${first}, calls left this machine.`
    for (const text of await texts(withCloud([first!]))) expect(text.replaceAll('\\', '')).toContain(words)
    for (const text of await texts(withCloud([]))) expect(text).not.toContain('left this machine')
  })
})
