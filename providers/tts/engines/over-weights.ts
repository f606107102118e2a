import { HttpError } from '../../kit/http-error.ts'
import { ModelStoreError } from '../../kit/models/model-store-error.ts'
import type { ModelWeights } from '../../kit/models/model-weights.ts'
import { EngineFailedError } from './engine-program.ts'

/** The 404 of a model whose weights are not here. */
export function notInstalled(id: string): HttpError {
  return new HttpError(404, `Model '${id}' is not installed locally. Download it with POST /v1/models/${id}`, {
    type: 'model_error',
  })
}

/** Runs a task over the weights' folder. Throws 404 when they are missing, and an error with what to do when they are damaged. */
export async function overWeights<Answer>(
  engine: { id: string; weights: ModelWeights },
  run: (folder: string) => Promise<Answer>,
): Promise<Answer> {
  const folder = await engine.weights.folder()
  if (folder === null) throw notInstalled(engine.id)
  try {
    return await run(folder)
  } catch (cause) {
    if (!(cause instanceof EngineFailedError) || cause.code !== 'model_damaged') throw cause
    const reason = await engine.weights.whyUnloadable(cause)
    const isSetAside = reason instanceof ModelStoreError
    throw new HttpError(
      500,
      isSetAside
        ? `A file of model '${engine.id}' is damaged: ${reason.file}. Download it again with POST /v1/models/${engine.id}`
        : `Model '${engine.id}' cannot be loaded, although its files are what they should be`,
      { type: 'model_error', cause: reason },
    )
  }
}
