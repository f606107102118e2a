import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { readHtml, type ReadElement } from '../../../tests/helpers/html-reader.ts'
import {
  comparedContext,
  comparedRows,
  fixtureDataset,
  goldenContext,
  goldenJudgments,
  goldenRows,
  streamOf,
  wideDataset,
} from '../../../tests/helpers/report-rows.ts'
import { aggregateRun } from '../../../tests/helpers/aggregate-run.ts'
import { ladderPage } from './ladder-page.ts'

const wide = wideDataset('wide', 'Wide', 2)
const small = fixtureDataset('small', 'Small', 1)
const aggregates = await Promise.all([
  aggregateRun(streamOf(comparedRows(wide, 2)), {
    ...comparedContext(wide, 2),
    judge: { state: 'read', judgments: goldenJudgments(wide) },
  }),
  aggregateRun(streamOf(goldenRows(small)), goldenContext(small)),
])
const artifacts = aggregates.map(({ dataset }) => ({
  datasetId: dataset.id,
  href: `run 1-${dataset.id}-evaluation.json`,
  sha256: hash('sha256', dataset.id),
}))
const page = await ladderPage({ aggregates, artifacts })

/** Puts a text into every place of an aggregate that people, services or models write. */
function withText(aggregate: Aggregate, text: string): Aggregate {
  const copy = structuredClone(aggregate)
  copy.dataset.label = text
  copy.dataset.corpus_path = text
  copy.unavailable = copy.unavailable.map((each) => ({ ...each, reason: text }))
  copy.judge_panel = { status: 'error', reason: 'invalid', message: text }
  for (const approach of copy.approaches)
    for (const metric of [...Object.values(approach.ragas), ...Object.values(approach.retrieval)])
      metric.errors_by_reason = { ...metric.errors_by_reason, [text]: 1 }
  const { runtime } = copy.reproducibility!
  runtime.models = { set: text, roles: { [text]: { backend: text, model: text } } }
  runtime.gateway = text
  return copy
}

const read = (text: string): ReadElement[] => readHtml(text)
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style></title></svg><iframe src="https://example.org">',
  '<!-- --!><svg/onload=alert(1)>',
  '&lt;b&gt; &amp; javascript:alert(1)',
  ']]><a href="javascript:alert(1)">x</a>',
  '\u202egnp.exe\u0000\u001b]0;x\u0007',
]

describe('ladderPage', () => {
  it('is well formed, and every reference in it leads somewhere', () => {
    const elements = read(page)
    const ids = new Set(elements.flatMap(({ attributes }) => attributes.get('id') ?? []))
    for (const { attributes } of elements) {
      for (const name of ['aria-labelledby', 'aria-describedby'])
        for (const id of attributes.get(name)?.split(' ') ?? []) expect(ids).toContain(id)
      const href = attributes.get('href')
      if (href?.startsWith('#')) expect(ids).toContain(href.slice(1))
      const fill = /^url\(#(.+)\)$/.exec(attributes.get('fill') ?? '')
      if (fill !== null) expect(ids).toContain(fill[1]!)
    }
  })

  it('loads nothing: no address, no inline handler or style, and links to its artifacts only', () => {
    const isAddress = (text: string): boolean => /https?:|^\/\/|javascript:|data:|@import|url\((?!#hatch\))/i.test(text)
    for (const { tag, text } of read(page)) if (tag === 'script' || tag === 'style') expect(isAddress(text)).toBe(false)
    for (const { tag, attributes } of read(page)) {
      expect(['iframe', 'img', 'object', 'embed', 'form', 'base', 'use', 'foreignObject']).not.toContain(tag)
      for (const name of attributes.keys()) expect(name).not.toMatch(/^on|^style$|^src$|^srcset$|^xlink/)
      for (const [name, value] of attributes)
        if (!['title', 'aria-label', 'content'].includes(name)) expect(isAddress(value)).toBe(false)
      const href = attributes.get('href')
      if (href !== undefined && !href.startsWith('#'))
        expect(artifacts.map((each) => encodeURI(each.href))).toContain(href)
    }
  })

  it('allows by its policy its own script and style only', () => {
    const elements = read(page)
    const policy = elements.find(({ attributes }) => attributes.get('http-equiv') === 'Content-Security-Policy')!
    const allowed = policy.attributes.get('content')!
    const hashOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`
    const scripts = elements.filter(({ tag }) => tag === 'script')
    const styles = elements.filter(({ tag }) => tag === 'style')
    expect([scripts.length, styles.length]).toEqual([1, 1])
    expect(allowed).toBe(
      `default-src 'none'; style-src ${hashOf(styles[0]!.text)}; script-src ${hashOf(scripts[0]!.text)}; connect-src 'self'; base-uri 'none'; form-action 'none'`,
    )
  })

  it('names every chart for screen readers, and has its figures in tables', () => {
    const elements = read(page)
    const charts = elements.filter(({ tag, attributes }) => tag === 'svg' && attributes.get('role') === 'img')
    expect(charts.length).toBeGreaterThan(8)
    const named = charts.map((chart) => elements[elements.indexOf(chart) + 1]!)
    expect(named.every(({ tag, text }) => tag === 'title' && text.length > 5)).toBe(true)
    expect(named.map(({ text }) => text)).toContain('recall@5 up the ladder')
    for (const { attributes } of elements.filter(({ tag }) => tag === 'svg'))
      expect(attributes.get('role') === 'img' || attributes.get('aria-hidden') === 'true').toBe(true)
    const captions = elements.filter(({ tag }) => tag === 'caption').map(({ text }) => text)
    expect(captions.filter((text) => text.endsWith('leaderboard'))).toHaveLength(7)
    expect(captions).toContain('Wide: share of the variance that lies between answers to one question')
  })

  it('a file name with line ends stays one line of the checksums and gives no command to paste', async () => {
    const sha256 = 'a'.repeat(64)
    const hostile = ['a\nEND\ntouch PWNED #-evidence.jsonl', 'b\r-evidence.jsonl', 'c\\n-evidence.jsonl']
    const made = await ladderPage({
      aggregates,
      artifacts: hostile.map((href) => ({ datasetId: 'wide', href, sha256 })),
      unusable: [{ file: 'torn\n<b>-evidence.jsonl', reason: 'the last line has no end', issues: 2 }],
    })
    const elements = read(made)
    const sums = elements.find(({ attributes }) => attributes.get('class') === 'sums')!.text
    expect(sums.split('\n')).toEqual([
      `\\${sha256}  a\\nEND\\ntouch PWNED #-evidence.jsonl`,
      `\\${sha256}  b\\r-evidence.jsonl`,
      `\\${sha256}  c\\\\n-evidence.jsonl`,
    ])
    expect(made).not.toContain('<<')
    expect(made).toContain('the last line has no end (the first of 2 problems)')
    expect(made).not.toContain('torn <b>')
    expect(made).toContain('href="a%0AEND%0Atouch%20PWNED%20%23-evidence.jsonl"')
  })

  it('carries the hash of each artifact, ready to be checked by hand', () => {
    const elements = read(page)
    const marks = elements.flatMap(({ attributes }) => attributes.get('data-sha256') ?? [])
    expect(marks).toEqual(artifacts.map(({ sha256 }) => sha256))
    const sums = elements.find(({ attributes }) => attributes.get('class') === 'sums')!.text
    expect(sums.split('\n')).toEqual(artifacts.map(({ sha256, href }) => `${sha256}  ${href}`))
  })

  it('shows decisions with signs and words, never as mere colour', () => {
    const pairs = read(page).filter(({ attributes }) => attributes.get('class')?.startsWith('num pair'))
    expect(pairs.length).toBeGreaterThan(0)
    for (const { attributes } of pairs)
      expect(attributes.get('title')).toMatch(/ · (better|worse|equivalent|open|not tested)$/)
    const signs = read(page).filter(({ attributes }) => attributes.get('class') === 'sign')
    expect(new Set(signs.map(({ text }) => text))).toEqual(new Set(['▲', '▼', '≈', '·', '–']))
  })

  it.each(HOSTILE)('shows %j as text wherever it occurs', async (text) => {
    const hostile = await ladderPage({ aggregates: aggregates.map((each) => withText(each, text)), artifacts: [] })
    const elements = read(hostile)
    const count = (tag: string): number => elements.filter((element) => element.tag === tag).length
    expect([count('script'), count('style'), count('iframe'), count('img')]).toEqual([1, 1, 0, 0])
    const links = elements.flatMap(({ attributes }) => attributes.get('href') ?? [])
    expect(links.every((href) => href.startsWith('#'))).toBe(true)
    expect(/[\u0000\u001b\u202e]/.test(hostile)).toBe(false)
  })

  it('has the same bytes whatever order the datasets come in', async () => {
    expect((await ladderPage({ aggregates: aggregates.toReversed(), artifacts })) === page).toBe(true)
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        const changed = aggregates.map((each) => withText(each, text))
        const made = await ladderPage({ aggregates: changed, artifacts: [] })
        expect((await ladderPage({ aggregates: structuredClone(changed), artifacts: [] })) === made).toBe(true)
        read(made)
      }),
      { numRuns: 8 },
    )
  })

  it('can be written for one rung, for no rung, and from files of earlier versions', async () => {
    const old = { ...aggregates[0], comparisons: null, repeats: 1 }
    for (const some of [[aggregates[1]], [], [old]]) read(await ladderPage({ aggregates: some, artifacts: [] }))
    expect((await ladderPage({ aggregates: [old], artifacts: [] })).includes('Nothing was compared.')).toBe(true)
  })
})
