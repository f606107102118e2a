import { expect, it } from 'vitest'
import { ALIASES, fixtureDataset, fixtureRow, goldenContext, streamOf } from '../../../tests/helpers/report-rows.ts'
import { countWords } from '../../../contract/words.ts'
import { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Derivation } from '../../../contract/evidence/derivation.ts'
import { InternedRows } from '../../evidence/rows/interned-rows.ts'
import { sealRow } from '../../evidence/rows/row-line.ts'
import { protocolRows } from '../tables/budget-tables.ts'
import { aggregateRun } from '../../../tests/helpers/aggregate-run.ts'

const HEALTH = {
  chunks_sent: 12,
  chunks_parsed: 10,
  chunks_empty: 3,
  chunks_truncated: 1,
  chunks_refused: 1,
  items_dropped: 2,
  documents: 4,
  documents_without_entity: 1,
}

const dataset = fixtureDataset('subset', 'Subset', 1)

async function cardOf(tokens: readonly [number, number]) {
  const called: { alias: typeof ALIASES.vanilla; parameters: Record<string, number | boolean>; tokens: number }[] = [
    { alias: ALIASES.vanilla, parameters: { k: 5 }, tokens: tokens[0] },
    { alias: ALIASES.hybrid, parameters: { retrieve_k: 20, top_n: 5, alpha: 0.5, rerank: true }, tokens: tokens[1] },
  ]
  const rows = called.flatMap(({ alias, parameters, tokens: context_tokens }) =>
    [0, 1].map((index) => {
      const row = fixtureRow(dataset, alias, index)
      const evidence = { context_tokens, context_tokens_by: 'x', ...row.evidence! }
      return { ...row, approach: { ...row.approach, parameters }, evidence }
    }),
  )
  const context = { ...goldenContext(dataset), aliases: [ALIASES.vanilla, ALIASES.hybrid] }
  const { protocol } = await aggregateRun(streamOf(rows), context)
  return new Map(
    protocol!.map(({ part, equal, values }) => [part, { equal, values: values.map(({ value }) => value) }]),
  )
}

it('a protocol card says which parts of the set-up were equal, from what the rows record', async () => {
  const card = await cardOf([2000, 1990])
  expect(Object.fromEntries(card)).toEqual({
    encoder: { equal: true, values: ['hash-768 (builtin)', 'hash-768 (builtin)'] },
    chunks: {
      equal: true,
      values: ['chunks of the ingestion, profile subset', 'chunks of the ingestion, profile subset'],
    },
    candidates: { equal: false, values: ['5 chunks', '20 chunks'] },
    // The rows do not name the model that reranks.
    reranker: { equal: null, values: ['none', null] },
    context: { equal: true, values: [countWords(2000), countWords(1990)] },
    answer_model: { equal: true, values: ['extractive (builtin)', 'extractive (builtin)'] },
    prompt: { equal: true, values: ['answer task', 'answer task'] },
    model_calls: { equal: true, values: ['1', '1'] },
  })
  expect((await cardOf([700, 2400])).get('context')!.equal).toBe(false)
})

it('names what answered, which the records of the rows hold, and not what was configured', async () => {
  const [chunks, graph]: Derivation[] = [
    { artefact: 'chunks', input: 'i', code: 'chunks 1', embedding: 'bge-small (onnx)' },
    {
      artefact: 'graph',
      input: 'i',
      code: 'c',
      embedding: 'bge-small (onnx)',
      model: 'qwen (gguf)',
      extraction: HEALTH,
    },
  ]
  const asked: (typeof ALIASES.vanilla & {
    made: (Derivation | undefined)[]
    parameters: CanonicalRow['approach']['parameters']
  })[] = [
    { ...ALIASES.vanilla, made: [chunks], parameters: { k: 5 } },
    { ...ALIASES.hybrid, made: [chunks, graph], parameters: { retrieve_k: 20, top_n: 5, alpha: 0, rerank: false } },
  ]
  const rows = asked.flatMap(({ made, parameters, ...alias }): CanonicalRow[] =>
    [0, 1].map((index) => {
      const row: CanonicalRow = fixtureRow(dataset, alias, index)
      const derivations = made.flatMap((each) => each ?? [])
      return { ...row, approach: { ...row.approach, parameters }, evidence: { ...row.evidence!, derivations } }
    }),
  )
  const context = { ...goldenContext(dataset), aliases: [ALIASES.vanilla, ALIASES.hybrid] }
  const result = await aggregateRun(streamOf(rows), context)
  const card = new Map(result.protocol!.map(({ part, values }) => [part, values.map(({ value }) => value)]))
  expect(card.get('encoder')).toEqual(['bge-small (onnx)', 'none'])
  expect(card.get('chunks')).toEqual(['chunks, profile subset', 'chunks, graph by qwen (gguf), profile subset'])
  expect(result.extraction).toEqual(HEALTH)
  expect(Aggregate.parse(result)).toEqual(result)
  // The fast reader of figures knows the records too.
  const interned = new InternedRows()
  const [first, second] = [rows[2]!, rows[3]!].map((row) => sealRow(row))
  if (!first!.ok || !second!.ok) throw new Error('the rows of the fixture are valid')
  interned.learn(first!.row, first!.line)
  expect(interned.readFigures(second!.line.subarray(0, -1))!.derivations).toEqual([chunks, graph])
})

it('takes reranker, answer model and prompt from the rows, and marks what is only configured', async () => {
  const answer = {
    artefact: 'answer',
    input: 'i',
    code: 'answer 1',
    prompt: 'answer from passages (v1) 1a2b3c4d',
  } as const
  const made = new Map<string, Derivation[]>([
    [ALIASES.vanilla.model, [{ ...answer, model: 'qwen (gguf)', reranker: 'none' }]],
    [
      ALIASES.hybrid.model,
      [
        { ...answer, model: 'qwen (gguf)', reranker: 'none' },
        { ...answer, model: 'qwen (gguf)', reranker: 'bge (onnx)' },
      ],
    ],
  ])
  const aliases = [ALIASES.vanilla, ALIASES.hybrid, ALIASES.hybridFast]
  const rows = aliases.flatMap((alias) =>
    [0, 1].map((index): CanonicalRow => {
      const row: CanonicalRow = fixtureRow(dataset, alias, index)
      const own = made.get(alias.model)
      const derivations = own?.slice(index % own.length, (index % own.length) + 1)
      return { ...row, evidence: { ...row.evidence!, ...(derivations === undefined ? {} : { derivations }) } }
    }),
  )
  const { protocol } = await aggregateRun(streamOf(rows), { ...goldenContext(dataset), aliases })
  const partOf = (name: string) => protocol!.find(({ part }) => part === name)!
  expect(partOf('reranker').values).toEqual(
    expect.arrayContaining([
      { model: ALIASES.vanilla.model, value: 'none', from: 'rows' },
      { model: ALIASES.hybrid.model, value: 'bge (onnx)', from: 'rows' },
    ]),
  )
  expect(partOf('answer_model')).toEqual({
    part: 'answer_model',
    // Two approaches have records, and the configuration of the third names another model: it may be the same under another name.
    equal: null,
    values: expect.arrayContaining([
      { model: ALIASES.vanilla.model, value: 'qwen (gguf)', from: 'rows' },
      { model: ALIASES.hybrid.model, value: 'qwen (gguf)', from: 'rows' },
      { model: ALIASES.hybridFast.model, value: 'extractive (builtin)', from: 'configuration' },
    ]),
  })
  const shown = new Map(protocolRows({ protocol }).map(({ part, values }) => [part, values]))
  expect(shown.get('answer model')).toContain('extractive (builtin), as configured')
  expect(shown.get('prompt')).toContain('answer from passages (v1) 1a2b3c4d;')
  // Results of before do not state where a value is from.
  const before = protocol!.map((part) => ({ ...part, values: part.values.map(({ from: _, ...value }) => value) }))
  expect(protocolRows({ protocol: before }).find(({ part }) => part === 'reranker')!.values).toContain(
    'bge (onnx), as configured',
  )
})

it('there is none without a row or for one approach', async () => {
  const context = { ...goldenContext(dataset), aliases: [ALIASES.vanilla] }
  expect((await aggregateRun(streamOf([fixtureRow(dataset, ALIASES.vanilla, 0)]), context)).protocol).toBeNull()
  expect((await aggregateRun(streamOf([]), goldenContext(dataset))).protocol).toBeNull()
})
