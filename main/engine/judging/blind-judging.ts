import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import type {
  BeginRoundInput,
  BlindSets,
  BlindSetsInput,
  BlindVote,
  JudgeResults,
  JudgeResultsInput,
  JudgingInput,
  Revealed,
  RevealInput,
  RoundState,
  VoteInput,
  VoteKept,
} from '../../../contract/control/judging.ts'
import { HumanJudgments, HumanRound, HumanSeal, type HumanVotes } from '../../../contract/evidence/human-round.ts'
import type { Judgments } from '../../../contract/evidence/judgments.ts'
import { plural } from '../../../contract/words.ts'
import { jsonIn } from '../../../core/json.ts'
import type { ArtifactPlace } from '../../evidence/files/artifact-files.ts'
import { exportHumanRound } from '../../judge/human/export-round.ts'
import { ballotFiles, humanFiles } from '../../judge/human/human-files.ts'
import { importHumanVotes } from '../../judge/human/import-votes.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import { readJudgments, type JudgeInput } from '../../report/aggregate/judge-input.ts'
import { storedAnswers } from '../../report/stored-answers.ts'
import { readAggregate } from '../../report/publication/write-artifacts.ts'
import { ControlFailure } from '../control-failure.ts'
import { BallotBox, type Ballots } from './ballot-box.ts'
import { judgedFiles } from './judge-preparation.ts'

interface BlindJudgingOptions {
  root: string
  artifacts: ArtifactPlace
  /** States where votes wait until they are opened. */
  folder: string
  experiment: () => Promise<Experiment>
  /** Returns true when the runner may still be making the run's cells. */
  isUnderWay: (runId: string) => boolean
  notify: (message: string) => void
}

type Output<Schema extends z.ZodType> = z.output<Schema>
const MAX_LISTED = 100

/** The file's content in its schema; null when there is no such file. */
async function readIfThere<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.infer<Schema> | null> {
  const text = await orIfMissing(readFile(file, 'utf8'), null)
  if (text === null) return null
  const parsed = schema.safeParse(jsonIn(text))
  if (parsed.success) return parsed.data
  throw new ControlFailure('judges_refused', `${file} is not in the form that this version writes`)
}

const withoutQueries = ({ queries: _queries, ...rest }: HumanJudgments): Omit<HumanJudgments, 'queries'> => rest

/** Blind votes of a person, sealed when the round begins and opened once; and the panel's verdicts, which are not shown meanwhile. */
export class BlindJudging {
  readonly #options: BlindJudgingOptions
  readonly #box: BallotBox

  constructor(options: BlindJudgingOptions) {
    this.#options = options
    this.#box = new BallotBox(options.folder)
  }

  /** Names nothing and stores nothing. */
  async state({ run_id, dataset_id }: JudgingInput): Promise<RoundState> {
    const { roundFile } = humanFiles(this.#options.artifacts.resultsDir, run_id, dataset_id)
    const { votes, revealed } = await this.#box.read(run_id, dataset_id)
    const round = revealed !== null ? 'closed' : existsSync(roundFile) ? 'open' : 'none'
    return { round, voted: votes.length, under_way: this.#options.isUnderWay(run_id) }
  }

  /** Seals the order of the answers: from now on the round takes votes, and the grades of the judges are withheld until it is revealed. */
  async begin(input: Output<typeof BeginRoundInput>): Promise<RoundState> {
    const { run_id, dataset_id, reference, questions } = input
    const { root, artifacts, experiment, isUnderWay } = this.#options
    refuseRevealed(await this.#box.read(run_id, dataset_id))
    if (isUnderWay(run_id))
      throw new ControlFailure('run_state', `${run_id} is still making its answers`, undefined, true)
    const files = await judgedFiles(root, artifacts, run_id, dataset_id)
    const aggregate = await readAggregate(files.evaluation)
    const answers = await storedAnswers(files, {
      runId: run_id,
      datasetId: dataset_id,
      models: aggregate?.approaches.filter(({ selected }) => selected).map(({ model }) => model) ?? null,
      questionIds: aggregate?.questions.map(({ id }) => id) ?? null,
    })
    const { aliases } = await experiment()
    const chosen = questions === undefined ? {} : { questions }
    await exportHumanRound(answers, {
      aliases: [...aliases.keys()],
      reference,
      ...chosen,
      ...humanFiles(artifacts.resultsDir, run_id, dataset_id),
    })
    return this.state(input)
  }

  /** Nothing of what this gives names an approach: letters, questions and answers as they were sealed. */
  async sets(input: Output<typeof BlindSetsInput>): Promise<BlindSets> {
    const round = await this.#round(input)
    const { votes, revealed } = await this.#ballots(input, round)
    const voted = new Set(votes.map(({ set }) => set))
    const sets = pageOf(round.sets, input.offset, input.limit)
    const shown = new Set(sets.map(({ set }) => set))
    const next = round.sets.findIndex(({ set }) => !voted.has(set))
    return {
      round_id: round.round_id,
      commitment: round.commitment.value,
      revealed: revealed !== null,
      total: round.sets.length,
      voted: voted.size,
      blocked: round.blocked,
      offset: input.offset,
      sets,
      votes: votes.filter(({ set }) => shown.has(set)),
      next_unvoted: next === -1 ? null : next,
    }
  }

  /** Durable when it resolves. A second vote on a set takes the place of the first. */
  async vote(input: Output<typeof VoteInput>): Promise<VoteKept> {
    const round = await this.#round(input)
    checkVote(round, input.round_id, input.vote)
    const { votes } = await this.#box.change(input.run_id, input.dataset_id, (ballots) => {
      refuseRevealed(ballots)
      const others =
        ballots.round_id === round.round_id ? ballots.votes.filter(({ set }) => set !== input.vote.set) : []
      return { ...ballots, round_id: round.round_id, votes: [...others, input.vote] }
    })
    return { voted: votes.length, total: round.sets.length }
  }

  /** Opens the seal. The first call decides; later ones give the same again. */
  async reveal(input: Output<typeof RevealInput>): Promise<Revealed> {
    const { run_id, dataset_id, rater } = input
    const files = humanFiles(this.#options.artifacts.resultsDir, run_id, dataset_id)
    const ballots = await this.#box.change(run_id, dataset_id, async (before) => {
      if (before.revealed !== null) return before
      if (before.votes.length > 0) await this.#openSeal(input, before)
      this.#options.notify(
        `${run_id}, ${dataset_id}: ${rater} revealed the approaches after ${plural(before.votes.length, 'vote')}`,
      )
      return { ...before, revealed: { at: new Date().toISOString(), rater } }
    })
    const human = ballots.votes.length === 0 ? null : await readIfThere(files.resultFile, HumanJudgments)
    return { human: human === null ? null : withoutQueries(human) }
  }

  async results(input: Output<typeof JudgeResultsInput>): Promise<JudgeResults> {
    const { run_id, dataset_id } = input
    const ballots = await this.#box.read(run_id, dataset_id)
    if ((await this.state(input)).round === 'open')
      throw new ControlFailure(
        'not_revealed',
        'reveal the approaches first: who has seen the verdicts cannot vote blindly',
      )
    const { root, artifacts } = this.#options
    const files = await judgedFiles(root, artifacts, run_id, dataset_id)
    const { resultFile, sealFile } = humanFiles(artifacts.resultsDir, run_id, dataset_id)
    const [read, human, seal] = await Promise.all([
      readJudgments(files.judgments),
      ballots.votes.length === 0 ? null : readIfThere(resultFile, HumanJudgments),
      ballots.votes.length === 0 ? null : readIfThere(sealFile, HumanSeal),
    ])
    return { ...panelPart(read), ...queriesPart(read, { human, seal, ballots }, input) }
  }

  async #round({ run_id, dataset_id }: JudgingInput): Promise<HumanRound> {
    const { roundFile } = humanFiles(this.#options.artifacts.resultsDir, run_id, dataset_id)
    const stored = await readIfThere(roundFile, HumanRound)
    if (stored !== null) return stored
    throw new ControlFailure(
      'not_found',
      `run ${run_id}, dataset ${dataset_id} has no blind round: start one in the tab Judges of the run`,
    )
  }

  /** Votes on another round, of answers that are there no more, do not count. */
  async #ballots({ run_id, dataset_id }: JudgingInput, round: HumanRound): Promise<Ballots> {
    const ballots = await this.#box.read(run_id, dataset_id)
    return ballots.round_id === null || ballots.round_id === round.round_id ? ballots : { ...ballots, votes: [] }
  }

  async #openSeal(
    { run_id, dataset_id, rater }: Output<typeof RevealInput>,
    { votes, round_id }: Ballots,
  ): Promise<void> {
    const { root, artifacts, folder } = this.#options
    const files = await judgedFiles(root, artifacts, run_id, dataset_id)
    const hasPanel = (await readJudgments(files.judgments)).state === 'read'
    const { handedInFile: votesFile } = ballotFiles(folder, run_id, dataset_id)
    const ballot: HumanVotes = {
      round_id: round_id!,
      rater,
      votes: votes.map(({ set, scores, best }) => ({ set, scores, best })),
    }
    await writeAtomic(votesFile, `${JSON.stringify(ballot, null, 2)}\n`)
    await importHumanVotes({
      ...humanFiles(artifacts.resultsDir, run_id, dataset_id),
      votesFile,
      judgmentsFile: hasPanel ? files.judgments : null,
    })
  }
}

function refuseRevealed({ revealed }: Ballots): void {
  if (revealed !== null)
    throw new ControlFailure('revealed', `the approaches were revealed at ${revealed.at}: no more votes`)
}

function checkVote(round: HumanRound, roundId: string, vote: BlindVote): void {
  const refuse = (path: string, message: string): never => {
    throw new ControlFailure('input_invalid', `${path}: ${message}`, { problems: [{ path, message }] })
  }
  if (roundId !== round.round_id) refuse('round_id', `the round is ${round.round_id} now: load the sets again`)
  const set =
    round.sets.find((candidate) => candidate.set === vote.set) ??
    refuse('vote.set', `the round has no set ${vote.set}: load the sets again`)
  const letters = set.answers.map(({ letter }) => letter)
  const given = Object.keys(vote.scores)
  const missing = letters.filter((letter) => !given.includes(letter))
  if (missing.length > 0) refuse('vote.scores', `no grade for ${missing.join(', ')}`)
  const foreign = given.filter((letter) => !letters.includes(letter))
  if (foreign.length > 0) refuse('vote.scores', `${foreign.join(', ')} is not a letter of the set`)
  if (vote.best !== null && !letters.includes(vote.best)) refuse('vote.best', `${vote.best} is not a letter of the set`)
}

type PanelPart = Omit<JudgeResults, 'human' | 'total' | 'offset' | 'queries'>

function panelPart(read: JudgeInput): PanelPart {
  const empty = { judges: [], runtime: null, approaches: [], panel: null, blocked: [], withheld: [], errors: [] }
  if (read.state === 'read') {
    const { status, judges, runtime, approaches, panel, blocked, withheld, errors } = read.judgments
    return {
      status,
      message: null,
      judges,
      runtime: runtime ?? null,
      approaches: approaches ?? [],
      panel: panel ?? null,
      blocked: (blocked ?? []).slice(0, MAX_LISTED),
      withheld: (withheld ?? []).slice(0, MAX_LISTED),
      errors: (errors ?? []).slice(0, MAX_LISTED),
    }
  }
  if (read.state === 'unusable' && read.reason !== 'missing')
    return { ...empty, status: 'unusable', message: read.message }
  return { ...empty, status: 'none', message: null }
}

interface PersonsPart {
  human: HumanJudgments | null
  seal: HumanSeal | null
  ballots: Ballots
}

function queriesPart(
  read: JudgeInput,
  { human, seal, ballots }: PersonsPart,
  { offset, limit }: { offset: number; limit: number },
): Pick<JudgeResults, 'human' | 'total' | 'offset' | 'queries'> {
  const judged: Judgments['queries'] = read.state === 'read' ? read.judgments.queries : []
  const grades = new Map(human?.queries.map((query) => [query.query_id, query]))
  const noteOf = (queryId: string): string => {
    const set = seal?.sets.find(({ query_id }) => query_id === queryId)?.set
    return ballots.votes.find((vote) => vote.set === set)?.note ?? ''
  }
  const all = judged.map((query) => {
    const own = grades.get(query.query_id)
    const graded = own === undefined ? null : { scores: own.scores, best: own.best, note: noteOf(query.query_id) }
    return { query, human: graded }
  })
  return {
    human: human === null ? null : withoutQueries(human),
    total: all.length,
    offset,
    queries: pageOf(all, offset, limit),
  }
}

/** Bytes of JSON that a list may take up in one answer, with room for what surrounds it. */
const LIST_BYTES = 800_000

/** Items from `offset` on, as many as fit into an answer and at most `limit`; always one where there is one. */
function pageOf<Item>(items: readonly Item[], offset: number, limit: number): Item[] {
  const page: Item[] = []
  let bytes = 0
  for (const item of items.slice(offset, offset + limit)) {
    bytes += Buffer.byteLength(JSON.stringify(item))
    if (bytes > LIST_BYTES && page.length > 0) break
    page.push(item)
  }
  return page
}
