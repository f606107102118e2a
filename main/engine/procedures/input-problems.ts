import { ImportError } from '../../manifests/datasets/importers/importer.ts'
import { DatasetEditError } from '../../manifests/datasets/own-datasets.ts'
import { QuestionFileError } from '../../manifests/datasets/question-file.ts'
import { inputFailure } from '../control-failure.ts'

/** Problems of a refused change, by the field that each concerns. */
export async function withInputProblems<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw asInputFailure(error)
  }
}

function asInputFailure(error: unknown): unknown {
  if (error instanceof DatasetEditError) return inputFailure([{ path: error.path, message: error.message }])
  if (error instanceof QuestionFileError) return inputFailure([{ path: 'text', message: error.message }])
  if (error instanceof ImportError) return inputFailure([{ path: 'source', message: error.message }])
  return error
}

/** The same of a stream. */
export async function* streamInputProblems<Item>(stream: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* stream
  } catch (error) {
    throw asInputFailure(error)
  }
}
