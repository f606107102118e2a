import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { z } from 'zod'
import { canonicalJson } from '../../../core/canonical-json.ts'
import {
  type HumanAgreement,
  HumanJudgments,
  HumanRound,
  HumanSeal,
  HumanVotes,
} from '../../../contract/evidence/human-round.ts'
import { type JudgedQuery, Judgments } from '../../../contract/evidence/judgments.ts'
import { describeIssues } from '../../../core/issues.ts'
import { jsonIn } from '../../../core/json.ts'
import { mean, roundedDeep, roundedOrNull } from '../../lib/text/numbers.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { cohenKappa } from '../../statistics/agreement/kappa.ts'
import { JudgePanelError } from '../judge-error.ts'
import { commitmentOf } from './export-round.ts'

interface HumanImport {
  roundFile: string
  sealFile: string
  votesFile: string
  /** The panel's verdicts to compare with; null, or a missing file, compares with nothing. */
  judgmentsFile: string | null
  /** States where the opened votes go. */
  resultFile: string
}

type HumanQuery = HumanJudgments['queries'][number]

/**
 * Opens the seal after the votes: checks that it is the one whose hash was published and that the sets are the published ones, puts names to
 * the letters, and compares the person with each judge. The result keeps the hash of the votes; other votes for an opened round are
 * refused, because by then the order is known. Throws `JudgePanelError`; nothing is written then.
 */
export async function importHumanVotes(files: HumanImport): Promise<HumanJudgments> {
  const round = await read(files.roundFile, HumanRound)
  const votes = await read(files.votesFile, HumanVotes, withoutEmptySets)
  const votesHash = hash('sha256', canonicalJson(votes))
  if (votes.round_id !== round.round_id)
    throw new JudgePanelError('human_round_differs', `the votes are for ${votes.round_id}, not for ${round.round_id}`)
  await refuseSecondOpening(files.resultFile, round.round_id, votesHash)
  const ballots = ballotsOf(round, votes)
  const seal = await read(files.sealFile, HumanSeal)
  checkSeal(round, seal)
  const queries = seal.sets.flatMap(({ set, query_id, order, same = {} }): HumanQuery[] => {
    const ballot = ballots.get(set)
    if (ballot === undefined) return []
    const { answers } = round.sets.find((candidate) => candidate.set === set)!
    // Every approach that gave this text gets its grade.
    const aliasesOf = (letter: string): [string, ...string[]] => {
      const alias = order[answers.findIndex((answer) => answer.letter === letter)]!
      return [alias, ...(same[alias] ?? [])]
    }
    const scores = Object.entries(ballot.scores).flatMap(([letter, grade]) =>
      aliasesOf(letter).map((alias) => [alias, grade] as const),
    )
    const [best, ...others] = ballot.best === null ? [null] : aliasesOf(ballot.best)
    const also = others.length === 0 ? {} : { also_best: others }
    return [{ query_id, scores: Object.fromEntries(scores), best, ...also }]
  })
  const result: HumanJudgments = {
    schema_version: 1,
    round_id: round.round_id,
    run_id: seal.run_id,
    dataset_id: seal.dataset_id,
    rater: votes.rater,
    commitment: round.commitment.value,
    votes_sha256: votesHash,
    sets: { voted: queries.length, offered: round.sets.length },
    queries,
    approaches: approachesOf(queries, seal),
    agreement: await agreements(files.judgmentsFile, seal, queries),
  }
  await writeAtomic(files.resultFile, `${JSON.stringify(result, null, 2)}\n`)
  return result
}

/** Sets of a ballot in which no grade was filled in are not votes. */
function withoutEmptySets(ballot: unknown): unknown {
  if (typeof ballot !== 'object' || ballot === null || !('votes' in ballot) || !Array.isArray(ballot.votes))
    return ballot
  const isEmpty = (vote: unknown): boolean => {
    const { scores, best = null } = (vote ?? {}) as { scores?: unknown; best?: unknown }
    const grades = typeof scores === 'object' && scores !== null ? Object.values(scores) : ['']
    return best === null && grades.every((grade) => grade === null)
  }
  return { ...ballot, votes: ballot.votes.filter((vote: unknown) => !isEmpty(vote)) }
}

async function read<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  prepare: (value: unknown) => unknown = (value) => value,
): Promise<z.infer<Schema>> {
  const invalid = (what: string, cause?: unknown): JudgePanelError =>
    new JudgePanelError('human_file_invalid', `${basename(file)}: ${what}`, { file }, cause)
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw invalid('the file cannot be read', cause)
  })
  const value = jsonIn(text)
  if (value === undefined) throw invalid('not JSON')
  const parsed = schema.safeParse(prepare(value))
  if (parsed.success) return parsed.data
  throw invalid(describeIssues(parsed.error).slice(0, 5).join('; '))
}

async function refuseSecondOpening(file: string, roundId: string, votesHash: string): Promise<void> {
  if ((await orIfMissing(readFile(file), null)) === null) return
  const before = await read(file, HumanJudgments)
  if (before.round_id !== roundId)
    throw new JudgePanelError(
      'human_already_opened',
      `${basename(file)} holds the opened votes on ${before.round_id}: move it aside first`,
      { file },
    )
  if (before.votes_sha256 !== votesHash)
    throw new JudgePanelError(
      'human_already_opened',
      `${basename(file)}: this round was opened with other votes of ${before.rater}; a rater who has seen the order cannot vote blindly. Export a new round`,
    )
}

/** The votes by set, each complete: a set with some of its grades missing would favour the answers that have one. */
function ballotsOf(round: HumanRound, { votes }: HumanVotes): Map<string, HumanVotes['votes'][number]> {
  const ballots = new Map<string, HumanVotes['votes'][number]>()
  for (const vote of votes) {
    const refuse = (what: string): never => {
      throw new JudgePanelError('human_file_invalid', `the vote on ${vote.set}: ${what}`)
    }
    const set = round.sets.find((candidate) => candidate.set === vote.set) ?? refuse('there is no such set')
    if (ballots.has(vote.set)) refuse('the set is voted on twice')
    const letters = set.answers.map(({ letter }) => letter)
    const missing = letters.filter((letter) => !Object.hasOwn(vote.scores, letter))
    if (missing.length > 0) refuse(`no grade for ${missing.join(', ')}`)
    if (Object.keys(vote.scores).length > letters.length) refuse('a grade for a letter that the set does not have')
    if (vote.best !== null && !letters.includes(vote.best)) refuse(`${vote.best} is not a letter of the set`)
    ballots.set(vote.set, vote)
  }
  return ballots
}

function checkSeal(round: HumanRound, seal: HumanSeal): void {
  if (commitmentOf(seal) !== round.commitment.value)
    throw new JudgePanelError('human_seal_broken', 'the seal is not the one whose hash was published with the round')
  const published = round.sets.map((set) => ({ set: set.set, sha256: hash('sha256', canonicalJson(set)) }))
  const sealed = seal.sets.map(({ set, sha256 }) => ({ set, sha256 }))
  if (canonicalJson(published) !== canonicalJson(sealed))
    throw new JudgePanelError('human_seal_broken', 'the sets of the round are not the ones that were sealed')
}

const isBest = ({ best, also_best: others = [] }: HumanQuery, model: string): boolean =>
  best === model || others.includes(model)

function approachesOf(queries: readonly HumanQuery[], seal: HumanSeal): HumanJudgments['approaches'] {
  const models = [
    ...new Set(seal.sets.flatMap(({ order, same = {} }) => [...order, ...Object.values(same).flat()])),
  ].sort()
  return models.map((model) => {
    const grades = queries.flatMap(({ scores }) => scores[model] ?? [])
    return {
      model,
      mean: roundedOrNull(mean(grades)),
      questions: grades.length,
      votes: queries.filter((query) => isBest(query, model)).length,
    }
  })
}

async function agreements(
  file: string | null,
  seal: HumanSeal,
  queries: readonly HumanQuery[],
): Promise<HumanAgreement[]> {
  if (file === null) return []
  const judgments = await read(file, Judgments)
  if (judgments.dataset_id !== seal.dataset_id || (judgments.run_id ?? seal.run_id) !== seal.run_id)
    throw new JudgePanelError('human_round_differs', `${basename(file)} holds verdicts on another run or dataset`)
  const byId = new Map(judgments.queries.map((query): [string, JudgedQuery] => [query.query_id, query]))
  return judgments.judges.map((judge) => agreementWith(judge, queries, byId))
}

const GRADES = [1, 2, 3, 4, 5]

/** A person's grades beside one judge's, over the answers that both graded; clusters are the questions. */
function agreementWith(
  judge: string,
  votes: readonly HumanJudgments['queries'][number][],
  judged: ReadonlyMap<string, JudgedQuery>,
): HumanAgreement {
  const clusters: string[] = []
  const person: number[] = []
  const other: number[] = []
  const best = { same: 0, compared: 0 }
  for (const vote of votes) {
    const { query_id, scores, best: own } = vote
    const verdict = judged.get(query_id)?.per_judge[judge]
    if (verdict === undefined) continue
    for (const [model, grade] of Object.entries(scores)) {
      const given = verdict.scores[model]
      if (given === undefined) continue
      clusters.push(query_id)
      person.push(grade)
      other.push(Math.floor(given + 0.5))
    }
    if (own === null || verdict.best === null) continue
    best.compared += 1
    if (isBest(vote, verdict.best)) best.same += 1
  }
  const ratings = { clusters, a: Float64Array.from(person), b: Float64Array.from(other), levels: GRADES }
  return { judge, kappa: roundedDeep(cohenKappa(ratings, 'quadratic', { seed: `human/${judge}` })), best }
}
