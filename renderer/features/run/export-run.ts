import { saveFile } from '../../components/save-file.ts'
import { control } from '../../data/client.ts'
import { RUN_WORDS as WORDS } from './run-words.ts'

export type ExportFormat = keyof typeof WORDS.exports
export const EXPORT_FORMATS = Object.keys(WORDS.exports) as ExportFormat[]

/** Joins the pieces of a dataset run's file and offers it for download; gives its name. Throws when the end is missing. */
export async function exportRun(format: ExportFormat, run: string, dataset: string): Promise<string> {
  const pieces: string[] = []
  let name = ''
  let type = ''
  let isComplete = false
  for await (const chunk of await control.exports[format]({ run_id: run, dataset_id: dataset })) {
    if (chunk.type === 'begin') [name, type] = [chunk.file_name, chunk.media_type]
    else if (chunk.type === 'text') pieces.push(chunk.text)
    else isComplete = true
  }
  if (!isComplete) throw new Error(WORDS.incomplete)
  saveFile(name, pieces, type)
  return name
}
