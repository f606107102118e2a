import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderContent } from '../../providers/platform/rag/response/completion.ts'
import { PROJECT_ROOT } from '../../tests/helpers/project-root.ts'
import { loadExperiment } from '../manifests/experiment.ts'
import { leakScan } from './leak-scan.ts'

const experiment = await loadExperiment(PROJECT_ROOT)
const aliases = [...experiment.aliases.keys()]
const scan = leakScan(aliases)
const kinds = (text: string): string[] => [...new Set(scan(text).map(({ kind }) => kind))]

describe('leakScan', () => {
  it('finds every alias wherever and however it is written', () => {
    const spellings = (name: string): string[] => [
      name,
      name.toUpperCase(),
      name.replaceAll('-', ' '),
      name.replaceAll('-', '_'),
      name.replaceAll('-', ''),
      name.replaceAll('-', '\u2011'),
      name.replaceAll('-', '-\u200b'),
      name.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    ]
    for (const name of aliases)
      for (const spelling of spellings(name)) expect(kinds(`As ${spelling}, I say`), spelling).toContain('alias')
    expect(kinds('xvanilla-ragx')).toEqual(['alias'])
  })

  it('finds an alias of six or more characters in any text, also inside a longer word', () => {
    const long = aliases.filter(({ length }) => length >= 6)
    expect(long.length).toBeGreaterThan(15)
    fc.assert(
      fc.property(fc.constantFrom(...long), fc.string(), fc.string(), (name, before, after) => {
        expect(kinds(`${before}${name}${after}`)).toContain('alias')
      }),
    )
  })

  it('finds a shorter alias as a separate word only', () => {
    expect(kinds('as bm25, I say')).toEqual(['alias'])
    expect(kinds('part BM250-X')).toEqual([])
  })

  it.each([
    ['answered by LightRAG', 'engine'],
    ['a GraphRAG community', 'engine'],
    ['collection in Weaviate', 'engine'],
    ['via ollama', 'engine'],
    ['the n8n workflow', 'engine'],
    ['reranked by TEI.', 'engine'],
    ['RAG Ladder says', 'engine'],
    ['LiteLLM proxy', 'engine'],
    ['<details><summary>Sources (2)</summary>', 'source_marker'],
    ['1. **a.md** (score 0.8312)', 'source_marker'],
    ['It is so.\n\n### References\n- a.md', 'source_marker'],
    ['Sources:\n* a.md', 'source_marker'],
    ['as shown [Data: Entities (3, 4)].', 'source_marker'],
    ['[KG] lock', 'source_marker'],
    ['[Source 2]', 'source_marker'],
    ['Source: knowledge graph', 'source_marker'],
    ['_0.42 s · 5 chunks · 1 LLM call · 0 cloud calls_', 'metrics_footer'],
    ['llm_calls: 3', 'metrics_footer'],
  ])('finds %j', (text, kind) => {
    expect(kinds(text)).toContain(kind)
  })

  it('finds what our own plugin renders around an answer', () => {
    const metrics = { seconds: 0.123, chunks: 1, llm_calls: 1, cloud_calls: 0 }
    const rendered = renderContent('Four metres.', [{ title: 'a.md', snippet: 'four', score: 0.5 }], metrics)
    expect(kinds(rendered)).toEqual(['source_marker', 'metrics_footer'])
    expect(kinds(renderContent('Four metres.', [], metrics))).toEqual(['metrics_footer'])
  })

  it.each([
    'A bar graph, ragged at the edges, of a hybrid crop with vanilla.',
    'The paragraph rages on; agentic behaviour is not adaptive.',
    'Sources close to the ministry said 5 s passed.',
    'Its source is the lake. References to it are rare.',
    'A knowledge graph links entities.',
    'The judge gave a score of 4 points, see the details in section 2.',
    'Parakeets, ragas and King Kong; tei is a plum in old verse.',
    'It answered within 30 seconds, 5 times.',
  ])('lets ordinary text pass: %s', (text) => {
    expect(scan(text)).toEqual([])
  })

  it('lets every question and ground truth of the ladder pass', () => {
    for (const { questions } of experiment.datasets)
      for (const { id, query, ground_truth } of questions) expect(scan(`${query}\n${ground_truth}`), id).toEqual([])
  })

  it('takes short aliases as words of their own only', () => {
    expect(leakScan(['fast'])('breakfast is faster')).toEqual([])
    expect(leakScan(['fast'])('by fast.')).toEqual([{ kind: 'alias', text: 'fast' }])
    expect(leakScan(['a.b+c'])('by a.b+c')).toEqual([{ kind: 'alias', text: 'a.b+c' }])
  })
})
