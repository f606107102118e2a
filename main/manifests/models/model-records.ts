import { join } from 'node:path'
import process from 'node:process'
import { isLearnedModel, type ModelChoice } from '../../../contract/manifests/model-backends.ts'
import { recordWords, type ModelRecord } from '../../../contract/manifests/model-record.ts'
import { fillPlaceholders } from '../../../contract/manifests/models.ts'
import { PACES_FOLDER } from '../../../core/http/pace-exchange.ts'
import { keptRecord, MODEL_RECORDS_FOLDER } from '../../../core/model-records/known-models.ts'
import { STATE_FOLDER } from '../project/project-folder.ts'

/** Folder of what is known of models, for all profiles of a project. */
export const modelRecordsFolder = (root: string): string => join(root, STATE_FOLDER, MODEL_RECORDS_FOLDER)

/** Folder in which processes share the pace of services that limit their calls. */
export const pacesFolder = (root: string): string => join(modelRecordsFolder(root), PACES_FOLDER)

function recordOf(root: string, choice: ModelChoice): ModelRecord | null {
  if (!isLearnedModel(choice)) return null
  const address = fillPlaceholders(choice.base_url, process.env)
  return address.ok ? keptRecord(modelRecordsFolder(root), address.value, choice.model) : null
}

/** A sentence for each model whose service names another one in its answers. */
export function otherModelWords(root: string, choices: readonly ModelChoice[]): string[] {
  const sentences = choices.flatMap((choice) => {
    const record = recordOf(root, choice)
    if (record === null || record.answers_as === null) return []
    return `the service at ${record.address} answers as ${record.answers_as}, where ${record.model} was asked for: check which model it runs, or name that one in the model set`
  })
  return [...new Set(sentences)]
}

/** Returns what calls have taught of a declared model, in short phrases, and when; empty where nothing is known. */
export function knownOf(root: string, choice: ModelChoice): { known: string[]; learned_at: string | null } {
  const record = recordOf(root, choice)
  return record === null
    ? { known: [], learned_at: null }
    : { known: recordWords(record), learned_at: record.learned_at }
}
