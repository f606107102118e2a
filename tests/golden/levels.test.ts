import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chunkText } from '../../core/chunking/chunk-text.ts'
import { inversionWords, slopeWords } from '../../core/measured-level-words.ts'
import { KeywordSearch } from '../../main/evaluation/keyword-search.ts'
import { measuredLevel } from '../../main/evaluation/measured-level.ts'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { openSqliteVectorStore } from '../../providers/platform/stores/vector-store/sqlite-vector-store.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const experiment = await loadExperiment(PROJECT_ROOT)
const rungs = experiment.datasets.filter(({ dataset }) => dataset.complexity_level > 0)
const measured = await Promise.all(
  rungs.map(async (rung) => ({ ...rung.dataset, measured_level: await measuredLevel(PROJECT_ROOT, rung) })),
)

describe('the levels of the ladder', () => {
  it('measure more relational from level to level: keyword search loses more with each hop', () => {
    expect(measured.map(({ complexity_level: level }) => level)).toEqual([1, 2, 3])
    expect(inversionWords(measured)).toEqual([])
    const [first, ...others] = measured.map(({ measured_level: level }) => level.slope!.interval!)
    expect(first!.low).toBeLessThan(0)
    expect(first!.high).toBeGreaterThan(0)
    for (const { high } of others) expect(high).toBeLessThan(0)
  })

  it('are on the page of validity as they measure', async () => {
    const row = `| change of BM25’s recall@5 with each hop | ${measured.map(({ measured_level: level }) => slopeWords(level)).join(' | ')} |`
    expect(await readFile(join(PROJECT_ROOT, 'docs/validity.md'), 'utf8')).toContain(row)
  })

  it('are measured with the very search of the platform', async () => {
    const { dataset, profile, questions } = rungs[1]!
    const folder = join(PROJECT_ROOT, dataset.corpus_path)
    const state = await mkdtemp(join(tmpdir(), 'levels-'))
    const store = openSqliteVectorStore(join(state, 'vectors.sqlite'))
    const search = new KeywordSearch()
    try {
      const chunks = []
      for (const document of (await readdir(folder)).sort())
        for (const piece of chunkText({ text: await readFile(join(folder, document), 'utf8'), ...profile.chunker }))
          chunks.push({ document, ...piece })
      search.add(chunks.map(({ document, content }) => ({ document, text: content })))
      await store.replace(
        'RagBase_levels',
        { dimensions: 8, contentDigest: 'levels', embeddingModel: 'none' },
        chunks.map(({ document, index, start_char: startChar, end_char: endChar, content }) => ({
          document,
          title: document,
          chunkIndex: index,
          startChar,
          endChar,
          content,
          indexText: content,
        })),
        chunks.map(() => new Float32Array(8)),
      )
      for (const { query } of questions) {
        const hits = await store.keyword('RagBase_levels', query, 5)
        expect(search.best(query, 5).map(({ text }) => text)).toEqual(hits.map(({ chunk }) => chunk.content))
      }
    } finally {
      search.close()
      await store.close()
      await rm(state, { recursive: true, force: true })
    }
  })
})
