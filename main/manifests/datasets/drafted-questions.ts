import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DraftsFile, type DraftedQuestion } from '../../../contract/control/drafted-questions.ts'
import { describeIssues } from '../../../core/issues.ts'
import { OWN_DATASETS_FOLDER } from '../../../contract/manifests/datasets.ts'
import { jsonIn } from '../../../core/json.ts'
import { orIfMissing } from '../../lib/files/missing-file.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import type { LadderDataset } from '../experiment.ts'
import { DatasetEditError, saveQuestions, type OwnDataset } from './own-datasets.ts'

// Drafts of questions, in `datasets/<id>/drafts.json` beside the dataset's file: no run reads them, and an exported dataset does not hold them. Callers
// change one dataset's drafts one after another.

const FILE = 'drafts.json'
const fileOf = (root: string, id: string): string => join(root, OWN_DATASETS_FOLDER, id, FILE)

/** The tag of questions that were drafts. */
const DRAFT_TAG = 'draft'

/** The drafts of a dataset, the oldest first. Throws `DatasetEditError` for a file that cannot be used. */
export async function readDrafts(root: string, id: string): Promise<DraftedQuestion[]> {
  const text = await orIfMissing(readFile(fileOf(root, id), 'utf8'), null)
  if (text === null) return []
  const parsed = DraftsFile.safeParse(jsonIn(text))
  if (parsed.success) return parsed.data.drafts
  throw new DatasetEditError(
    'dataset_id',
    `${OWN_DATASETS_FOLDER}/${id}/${FILE} cannot be used: ${describeIssues(parsed.error)[0] ?? 'no JSON'}. Correct or delete it`,
  )
}

const write = async (root: string, id: string, drafts: readonly DraftedQuestion[]): Promise<void> => {
  await writeAtomic(fileOf(root, id), `${JSON.stringify({ version: 1, drafts }, null, 1)}\n`)
}

/** Adds drafts with ids of their own. Durable when it resolves. */
export async function addDrafts(
  root: string,
  id: string,
  added: readonly Omit<DraftedQuestion, 'id'>[],
): Promise<DraftedQuestion[]> {
  const before = await readDrafts(root, id)
  let number = Math.max(0, ...before.map((draft) => Number(/^draft-(\d+)$/.exec(draft.id)?.[1] ?? 0)))
  const all = [...before, ...added.map((draft) => ({ id: `draft-${(number += 1)}`, ...draft }))]
  if (added.length > 0) await write(root, id, all)
  return all
}

/** Throws `DatasetEditError` for one that is not there, for instance because another page has accepted it. */
async function chosen(root: string, id: string, draftIds: readonly string[]) {
  const all = await readDrafts(root, id)
  const missing = draftIds.find((draft) => !all.some((each) => each.id === draft))
  if (missing !== undefined)
    throw new DatasetEditError('drafts', `${id} has no draft ${missing}: it was accepted or rejected meanwhile`)
  return { all, rest: all.filter(({ id: draft }) => !draftIds.includes(draft)) }
}

/** Removes drafts. Throws `DatasetEditError` for one that is not there. */
export async function rejectDrafts(root: string, id: string, draftIds: readonly string[]): Promise<void> {
  await write(root, id, (await chosen(root, id, draftIds)).rest)
}

/**
 * Makes drafts questions of the dataset, as they are or as `question` says, with a tag and a note of the model that wrote them. Throws as
 * `saveQuestions` does; then all of them are drafts as before.
 */
export async function acceptDrafts(
  root: string,
  dataset: LadderDataset,
  revision: string | null,
  accepted: readonly { id: string; question?: DraftedQuestion['question'] | undefined }[],
): Promise<OwnDataset> {
  const { id } = dataset.dataset
  const { all, rest } = await chosen(
    root,
    id,
    accepted.map((each) => each.id),
  )
  const questions = accepted.map(({ id: draftId, question }) => {
    const draft = all.find((each) => each.id === draftId)!
    const { tags, rationale, ...fields } = question ?? draft.question
    const author = draft.rules ? `rules (${draft.model})` : draft.model
    return {
      ...fields,
      tags: [...new Set([...tags, DRAFT_TAG])],
      rationale: rationale ?? `Drafted by ${author}${question === undefined ? '' : ', edited'}.`,
    }
  })
  const stored = await saveQuestions(root, dataset, revision, questions)
  // A crash before this leaves drafts whose questions are there: accepting them again is refused as a duplicate.
  await write(root, id, rest)
  return stored
}
