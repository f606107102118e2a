import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Judgments } from '../../../contract/evidence/judgments.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { JudgePreparation, preparationOf } from './judge-preparation.ts'

const shown = { answered: true, characters: 40, capped: false, neutralized: true, sha256: 'a'.repeat(64) }
const judgments = (query: string): Judgments => ({
  status: 'ok',
  run_id: 'run',
  dataset_id: 'smoke',
  judges: ['rule'],
  queries: ['q1', 'q2', 'q3'].map((query_id) => ({
    query_id,
    query,
    per_judge: {},
    mean_by_approach: {},
    votes: {},
    observed_winner: null,
    answers: { 'vanilla-rag': shown, 'graph-rag': shown },
  })),
  withheld: [
    {
      query_id: 'q1',
      leaks: [
        { kind: 'alias', text: 'graph-rag', found_in: 'vanilla-rag' },
        { kind: 'source_marker', text: 'Sources:', found_in: 'graph-rag' },
      ],
    },
  ],
  blocked: [{ query_id: 'q2', leaks: [{ kind: 'alias', text: 'hybrid-rag', found_in: 'question' }] }],
})

it('an answer has the texts that were withheld from it, not those of the other answers', () =>
  expect(preparationOf(judgments('?'), 'q1', 'vanilla-rag')).toEqual({
    shown,
    withheld: [{ kind: 'alias', text: 'graph-rag', found_in: 'vanilla-rag' }],
    blocked: [],
  }))

it('a blocked question was shown to no judge, and reports what blocked it', () =>
  expect(preparationOf(judgments('?'), 'q2', 'vanilla-rag')).toEqual({
    shown: null,
    withheld: [],
    blocked: [{ kind: 'alias', text: 'hybrid-rag', found_in: 'question' }],
  }))

it('an answer that was shown unchanged has empty lists; a question that the file does not name is unknown', () => {
  expect(preparationOf(judgments('?'), 'q3', 'vanilla-rag')).toEqual({ shown, withheld: [], blocked: [] })
  expect(preparationOf(judgments('?'), 'q9', 'vanilla-rag')).toBeNull()
})

it('is read from the judgments of the run, again when they change, and is null without them', async () => {
  const folder = await temporaryFolder()
  const preparation = new JudgePreparation(folder, { resultsDir: folder, named: {} })
  const answer = { run_id: 'run', dataset: { id: 'smoke' }, question: { id: 'q3' }, approach: { model: 'graph-rag' } }
  expect(await preparation.of(answer)).toBeNull()
  await writeFile(join(folder, 'run-smoke-evidence.jsonl'), '')
  const file = join(folder, 'run-smoke-judgments.json')
  await writeFile(file, JSON.stringify(judgments('first')))
  expect(await preparation.of(answer)).toMatchObject({ shown, blocked: [] })
  const changed = judgments('second, longer')
  await writeFile(file, JSON.stringify({ ...changed, blocked: [{ ...changed.blocked![0]!, query_id: 'q3' }] }))
  expect(await preparation.of(answer)).toMatchObject({ shown: null, blocked: changed.blocked![0]!.leaks })
  await writeFile(file, '{')
  expect(await preparation.of(answer)).toBeNull()
})
