import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HumanJudgments, HumanRound, HumanSeal, type HumanVotes } from '../../../contract/evidence/human-round.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { BUILTINS, sampleInput, samplePanel, sampleQuestion } from '../../../tests/helpers/judge-panel.ts'
import { runJudgePanel } from '../run-panel.ts'
import { blindRound, commitmentOf, emptyBallot, exportHumanRound } from './export-round.ts'
import { importHumanVotes } from './import-votes.ts'

const MODELS = ['vanilla-rag', 'hybrid-rag', 'graph-rag']
const texts = ['The lock rises by four metres.', 'It rises four metres. It is old.', null]
const input = sampleInput([
  ...Array.from({ length: 12 }, (_, index) =>
    sampleQuestion(
      `q-${index + 1}`,
      Object.fromEntries(MODELS.map((model, place) => [model, texts[(place + index) % 3]!])),
    ),
  ),
  sampleQuestion('leaky', { 'vanilla-rag': 'it knows', 'hybrid-rag': 'four' }, { query: 'What does graph-rag know?' }),
])

async function exported(salt?: string) {
  const folder = await temporaryFolder()
  const files = {
    roundFile: join(folder, 'vanilla-rag-human-round.json'),
    sealFile: join(folder, 'sealed', 'human-seal.json'),
    votesFile: join(folder, 'votes.json'),
    resultFile: join(folder, 'human.json'),
    judgmentsFile: join(folder, 'run-1-locks-judgments.json'),
  }
  const result = await exportHumanRound(input, {
    aliases: MODELS,
    reference: false,
    ...files,
    ...(salt === undefined ? {} : { salt }),
  })
  return { ...result, files }
}

/** A voter who grades by the text. */
function votesOn({ round_id, sets }: HumanRound, changes: Partial<HumanVotes> = {}): HumanVotes {
  const gradeOf = (text: string): number => (text === texts[0] ? 5 : text === texts[1] ? 4 : 1)
  return {
    round_id,
    rater: 'Ada',
    votes: sets.map(({ set, answers }) => ({
      set,
      scores: Object.fromEntries(answers.map(({ letter, text }) => [letter, gradeOf(text)])),
      best: answers.find(({ text }) => text === texts[0])!.letter,
    })),
    ...changes,
  }
}
const write = (file: string, value: unknown): Promise<void> => writeFile(file, JSON.stringify(value))

describe('a human round', () => {
  it('names no approach, run or question id in what the voter gets, and leaves out what would', async () => {
    const { round, blocked, files } = await exported()
    const bytes = await readFile(files.roundFile, 'utf8')
    for (const name of [...MODELS, 'run-1', 'job-1', '"q-1"', 'leaky', 'locks"']) expect(bytes).not.toContain(name)
    expect(HumanRound.parse(JSON.parse(bytes))).toEqual(round)
    expect({ sets: round.sets.length, blocked: round.blocked }).toEqual({ sets: 12, blocked: 1 })
    expect(blocked).toEqual(['leaky'])
    expect(round.sets[0]).toMatchObject({ set: 'set-01', reference: null })
    expect(round.sets[0]!.answers.map(({ letter }) => letter)).toEqual(['A', 'B', 'C'])
  })

  it('shows an answer once that several approaches gave word for word, and grades them alike', async () => {
    const same = sampleQuestion('q-1', {
      'vanilla-rag': texts[0]!,
      'hybrid-rag': texts[1]!,
      'graph-rag': `${texts[0]!}\n`,
    })
    const folder = await temporaryFolder()
    const files = {
      roundFile: join(folder, 'round.json'),
      sealFile: join(folder, 'seal.json'),
      votesFile: join(folder, 'votes.json'),
      resultFile: join(folder, 'human.json'),
      judgmentsFile: null,
    }
    const { round } = await exportHumanRound(sampleInput([same]), { aliases: MODELS, reference: false, ...files })
    expect(round.sets[0]!.answers.map(({ text }) => text).toSorted()).toEqual([texts[0], texts[1]].toSorted())
    await write(files.votesFile, votesOn(round))
    const { queries, approaches } = await importHumanVotes(files)
    expect(queries[0]).toEqual({
      query_id: 'q-1',
      scores: { 'vanilla-rag': 5, 'graph-rag': 5, 'hybrid-rag': 4 },
      best: 'graph-rag',
      also_best: ['vanilla-rag'],
    })
    expect(approaches.map(({ model, votes }) => `${model} ${votes}`)).toEqual([
      'graph-rag 1',
      'hybrid-rag 0',
      'vanilla-rag 1',
    ])
  })

  it('holds the requested number of questions, drawn at random', async () => {
    const options = { aliases: MODELS, reference: false, questions: 5 }
    const idsOf = (salt: string): string[] =>
      blindRound(input, { ...options, salt }).seal.sets.map((set) => set.query_id)
    const draws = Array.from({ length: 40 }, (_, index) => idsOf(index.toString(16).padStart(64, '0')))
    expect(draws.map(({ length }) => length)).toEqual(draws.map(() => 5))
    expect(new Set(draws.flat()).size).toBe(12)
    expect(idsOf('a'.repeat(64))).toEqual(idsOf('a'.repeat(64)))
    expect(blindRound(input, { ...options, questions: 99 }).round.sets).toHaveLength(12)
  })

  it('shows the reference answer and the gold passages where it says so, and blocks a question whose passage names an approach', () => {
    const gold = ['The chamber is four metres deep.']
    const [first] = input.questions
    const shown = (question: typeof first, reference: boolean) =>
      blindRound(sampleInput([question!, input.questions[1]!]), { aliases: MODELS, reference }).round
    expect(shown({ ...first!, gold }, true).sets[0]).toMatchObject({ reference: first!.groundTruth, passages: gold })
    expect(shown({ ...first!, gold }, false).sets[0]).not.toHaveProperty('passages')
    expect(shown({ ...first!, gold: ['As graph-rag shows.'] }, true)).toMatchObject({ blocked: 1 })
  })

  it('publishes the hash of a seal that is stored apart and holds the order', async () => {
    const { round, seal, files } = await exported()
    const stored = HumanSeal.parse(JSON.parse(await readFile(files.sealFile, 'utf8')))
    expect(stored).toEqual(seal)
    expect(round.commitment.value).toBe(commitmentOf(stored))
    for (const { order } of stored.sets) expect(order.toSorted()).toEqual(MODELS.toSorted())
  })

  it('has an order that cannot be derived from the rule: it depends on a random salt', async () => {
    const [one, other] = [await exported(), await exported()]
    expect(one.seal.salt).not.toBe(other.seal.salt)
    expect(one.round.commitment).not.toEqual(other.round.commitment)
    expect(one.seal.sets.map(({ order }) => order)).not.toEqual(other.seal.sets.map(({ order }) => order))
    const again = await exported(one.seal.salt)
    expect(again.round).toEqual(one.round)
  })

  it('is opened after the vote: letters become aliases, and each judge is compared', async () => {
    const { round, seal, files } = await exported()
    await runJudgePanel(input, {
      panel: samplePanel({ models: BUILTINS, rotations: 3 }),
      gateway: null,
      aliases: MODELS,
      seed: 's',
      file: files.judgmentsFile,
    })
    await write(files.votesFile, votesOn(round))
    const result = await importHumanVotes(files)
    expect(HumanJudgments.parse(JSON.parse(await readFile(files.resultFile, 'utf8')))).toEqual(result)
    expect(result).toMatchObject({
      rater: 'Ada',
      run_id: 'run-1',
      dataset_id: 'locks',
      sets: { voted: 12, offered: 12 },
    })
    for (const { query_id, scores, best } of result.queries) {
      const { answers } = input.questions.find(({ id }) => id === query_id)!
      for (const { model, answer } of answers)
        expect(scores[model]).toBe(answer === texts[0] ? 5 : answer === texts[1] ? 4 : 1)
      expect(best).toBe(answers.find(({ answer }) => answer === texts[0])!.model)
    }
    expect(result.approaches).toEqual(
      MODELS.toSorted().map((model) => ({ model, mean: 3.33333, questions: 12, votes: 4 })),
    )
    expect(result.agreement.map(({ judge }) => judge)).toEqual(BUILTINS)
    for (const { kappa, best } of result.agreement) {
      expect(kappa).toMatchObject({ statistic: 'cohen_kappa', scale: 'quadratic', raters: 2 })
      expect(kappa.estimate.value).toBeGreaterThan(0.8)
      expect(best).toEqual({ same: 12, compared: 12 })
    }
    expect(seal.sets).toHaveLength(12)
    // The same votes again change nothing.
    expect(await importHumanVotes(files)).toEqual(result)
  })

  it('compares with no judge where there is no panel, and counts only the sets that were voted on', async () => {
    const { round, files } = await exported()
    const { votes } = votesOn(round)
    await write(files.votesFile, votesOn(round, { votes: votes.slice(0, 3) }))
    const result = await importHumanVotes({ ...files, judgmentsFile: null })
    expect(result).toMatchObject({ sets: { voted: 3, offered: 12 }, agreement: [] })
    expect(result.queries).toHaveLength(3)
  })

  it('refuses other votes once it is open', async () => {
    const { round, files } = await exported()
    const plain = { ...files, judgmentsFile: null }
    await write(files.votesFile, votesOn(round))
    await importHumanVotes(plain)
    await write(files.votesFile, votesOn(round, { rater: 'Bob' }))
    await expect(importHumanVotes(plain)).rejects.toMatchObject({ code: 'human_already_opened' })
  })

  it('loses no round: neither an order that is sealed nor votes that are opened are written over', async () => {
    const { round, files } = await exported()
    await expect(exportHumanRound(input, { aliases: MODELS, reference: false, ...files })).rejects.toMatchObject({
      code: 'human_round_exists',
    })
    const plain = { ...files, judgmentsFile: null }
    await write(files.votesFile, votesOn(round))
    const opened = await importHumanVotes(plain)
    expect(await importHumanVotes(plain)).toEqual(opened)
    const next = await exported()
    await write(next.files.votesFile, votesOn(next.round))
    await expect(
      importHumanVotes({ ...next.files, judgmentsFile: null, resultFile: files.resultFile }),
    ).rejects.toMatchObject({ code: 'human_already_opened' })
    expect(HumanJudgments.parse(JSON.parse(await readFile(files.resultFile, 'utf8')))).toEqual(opened)
  })

  it('has a ballot to fill in; what stays empty is no vote, what is half filled in is refused', async () => {
    const { round, files } = await exported()
    const plain = { ...files, judgmentsFile: null }
    const ballot = emptyBallot(round)
    expect(ballot.votes.map(({ scores }) => Object.keys(scores).length)).toEqual(Array(12).fill(3))
    const [first, second] = votesOn(round).votes
    const filled = { ...ballot, rater: 'Ada', votes: [first, ...ballot.votes.slice(1)] }
    await write(files.votesFile, ballot)
    await expect(importHumanVotes(plain)).rejects.toThrow('rater')
    await write(files.votesFile, { ...filled, votes: [first, { ...second, scores: { ...second!.scores, B: null } }] })
    await expect(importHumanVotes(plain)).rejects.toThrow('votes[1].scores.B')
    await write(files.votesFile, filled)
    expect((await importHumanVotes(plain)).sets).toEqual({ voted: 1, offered: 12 })
  })

  it.each<[string, (seal: HumanSeal) => unknown]>([
    ['order', (seal) => ({ ...seal, sets: seal.sets.map((set) => ({ ...set, order: set.order.toReversed() })) })],
    ['salt', (seal) => ({ ...seal, salt: 'a'.repeat(64) })],
    ['run', (seal) => ({ ...seal, run_id: 'run-2' })],
  ])('refuses a seal whose %s was changed after publication', async (_, change) => {
    const { round, seal, files } = await exported()
    await write(files.votesFile, votesOn(round))
    await write(files.sealFile, change(seal))
    await expect(importHumanVotes({ ...files, judgmentsFile: null })).rejects.toMatchObject({
      code: 'human_seal_broken',
    })
    await expect(readFile(files.resultFile)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('refuses a round whose sets are not the sealed ones', async () => {
    const { round, files } = await exported()
    const [first, ...rest] = round.sets
    const answers = first!.answers.toReversed().map(({ text }, place) => ({ letter: 'ABC'[place]!, text }))
    await write(files.votesFile, votesOn(round))
    await write(files.roundFile, { ...round, sets: [{ ...first, answers }, ...rest] })
    await expect(importHumanVotes({ ...files, judgmentsFile: null })).rejects.toMatchObject({
      code: 'human_seal_broken',
    })
  })

  it.each<[string, (votes: HumanVotes) => unknown, string]>([
    ['of another round', (votes) => ({ ...votes, round_id: 'round-x' }), 'human_round_differs'],
    [
      'on a set that is not there',
      (votes) => ({ ...votes, votes: [{ ...votes.votes[0], set: 'set-99' }] }),
      'human_file_invalid',
    ],
    ['twice on a set', (votes) => ({ ...votes, votes: [votes.votes[0], votes.votes[0]] }), 'human_file_invalid'],
    [
      'without a grade',
      (votes) => ({ ...votes, votes: [{ set: 'set-01', scores: { A: 5, B: 1 }, best: 'A' }] }),
      'human_file_invalid',
    ],
    [
      'with a letter too many',
      (votes) => ({ ...votes, votes: [{ set: 'set-01', scores: { A: 5, B: 1, C: 1, D: 1 } }] }),
      'human_file_invalid',
    ],
    [
      'out of scale',
      (votes) => ({ ...votes, votes: [{ set: 'set-01', scores: { A: 6, B: 1, C: 1 } }] }),
      'human_file_invalid',
    ],
    [
      'with true for a grade',
      (votes) => ({ ...votes, votes: [{ set: 'set-01', scores: { A: true, B: 1, C: 1 } }] }),
      'human_file_invalid',
    ],
    [
      'for a letter that is not there',
      (votes) => ({ ...votes, votes: [{ set: 'set-01', scores: { A: 5, B: 1, C: 1 }, best: 'D' }] }),
      'human_file_invalid',
    ],
    ['with unknown fields', (votes) => ({ ...votes, mood: 'good' }), 'human_file_invalid'],
    ['that are no object', () => [], 'human_file_invalid'],
  ])('refuses votes %s, before the seal is opened', async (_, change, code) => {
    const { round, files } = await exported()
    await write(files.votesFile, change(votesOn(round)))
    await writeFile(files.sealFile, 'not even read')
    await expect(importHumanVotes({ ...files, judgmentsFile: null })).rejects.toMatchObject({ code })
  })

  it('refuses verdicts of another run', async () => {
    const { round, files } = await exported()
    await write(files.votesFile, votesOn(round))
    await write(files.judgmentsFile, { status: 'ok', dataset_id: 'locks', run_id: 'run-2', judges: [], queries: [] })
    await expect(importHumanVotes(files)).rejects.toMatchObject({ code: 'human_round_differs' })
  })
})
