import { join } from 'node:path'
import process from 'node:process'
import { isLearnedModel, type ModelChoice } from '../../../contract/manifests/model-backends.ts'
import { recordWords } from '../../../contract/manifests/model-record.ts'
import { fillPlaceholders } from '../../../contract/manifests/models.ts'
import { PACES_FOLDER } from '../../../core/http/pace-exchange.ts'
import { keptRecord, MODEL_RECORDS_FOLDER } from '../../../core/model-records/known-models.ts'
import { STATE_FOLDER } from '../project/project-folder.ts'

/** Folder of what is known of models, for all profiles of a project. */
export const modelRecordsFolder = (root: string): string => join(root, STATE_FOLDER, MODEL_RECORDS_FOLDER)

/** Folder in which processes share the pace of services that limit their calls. */
export const pacesFolder = (root: string): string => join(modelRecordsFolder(root), PACES_FOLDER)

/** Returns what calls have taught of a declared model, in short phrases; empty where nothing is known. */
export function knownWords(root: string, choice: ModelChoice): string[] {
  if (!isLearnedModel(choice)) return []
  const address = fillPlaceholders(choice.base_url, process.env)
  const record = address.ok ? keptRecord(modelRecordsFolder(root), address.value, choice.model) : null
  return record === null ? [] : recordWords(record)
}
