import { stat } from 'node:fs/promises'
import type { CellJudging } from '../../../contract/control/cells.ts'
import type { BlockedPrompt, CanonicalRow, Judgments, PromptLeak } from '../../../contract/index.ts'
import { readJudgments } from '../../report/judge-input.ts'
import type { ArtifactPlace } from '../../evidence/artifact-files.ts'
import { judgedFiles } from './judged-files.ts'

const MAX_LISTED = 20

type Answer = Pick<CanonicalRow, 'run_id'> & {
  dataset: Pick<CanonicalRow['dataset'], 'id'>
  question: Pick<CanonicalRow['question'], 'id'>
  approach: Pick<CanonicalRow['approach'], 'model'>
}

/** How answers were prepared for the judges of their run, from the judgments beside them. Keeps the last file that was read. */
export class JudgePreparation {
  readonly #root: string
  readonly #artifacts: ArtifactPlace
  #last: { file: string; stamp: string; judgments: Judgments | null } | null = null

  constructor(root: string, artifacts: ArtifactPlace) {
    this.#root = root
    this.#artifacts = artifacts
  }

  /** Null where no judge panel ran, and where its file cannot be read, which the Judges page reports. */
  async of(answer: Answer): Promise<CellJudging | null> {
    const files = await judgedFiles(this.#root, this.#artifacts, answer.run_id, answer.dataset.id)
    const judgments = await this.#read(files.judgments)
    return judgments === null ? null : preparationOf(judgments, answer.question.id, answer.approach.model)
  }

  async #read(file: string): Promise<Judgments | null> {
    const found = await stat(file).catch(() => null)
    if (found === null) return null
    const stamp = `${found.mtimeMs} ${found.size} ${found.ino}`
    if (this.#last?.file !== file || this.#last.stamp !== stamp) {
      const input = await readJudgments(file)
      this.#last = { file, stamp, judgments: input.state === 'read' ? input.judgments : null }
    }
    return this.#last.judgments
  }
}

/** One answer in the judgments; null where they do not name its question. */
export function preparationOf(
  { queries, withheld = [], blocked = [] }: Judgments,
  questionId: string,
  model: string,
): CellJudging | null {
  const leaksIn = (list: readonly BlockedPrompt[]): PromptLeak[] =>
    list.find(({ query_id }) => query_id === questionId)?.leaks ?? []
  const question = queries.find(({ query_id }) => query_id === questionId)
  const preventing = leaksIn(blocked)
  if (question === undefined && preventing.length === 0) return null
  return {
    shown: preventing.length > 0 ? null : (question?.answers?.[model] ?? null),
    withheld: leaksIn(withheld)
      .filter(({ found_in }) => found_in === model)
      .slice(0, MAX_LISTED),
    blocked: preventing.slice(0, MAX_LISTED),
  }
}
