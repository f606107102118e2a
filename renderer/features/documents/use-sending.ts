import { useMutation, useQueryClient } from '@tanstack/react-query'
import { controlErrorOf, InputProblem } from '../../../contract/control/control-error.ts'
import type { CreateDatasetInput } from '../../../contract/control/own-datasets.ts'
import { api, control } from '../../data/client.ts'

export interface Sending {
  /** A dataset that is there, or one that is made first. */
  to: string | CreateDatasetInput
  name: string
  text: string
}

export interface Sent {
  dataset: string
  path: string
}

/** The new dataset exists, but the document is not in it. */
class SendingStoppedError extends Error {
  readonly dataset: string

  constructor(dataset: string, cause: unknown) {
    super('the dataset was made, but the document is not in it', { cause })
    this.dataset = dataset
  }
}

async function send({ to, name, text }: Sending): Promise<Sent> {
  if (typeof to === 'string') {
    const { path } = await control.datasets.addDocument({ dataset_id: to, name, text })
    return { dataset: to, path }
  }
  const { id } = await control.datasets.create(to)
  try {
    const { path } = await control.datasets.addDocument({ dataset_id: id, name, text })
    return { dataset: id, path }
  } catch (error) {
    throw new SendingStoppedError(id, error)
  }
}

/** Puts a converted document into a corpus; pages that show datasets follow. */
export function useSending(onStopped: (dataset: string) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onError: (error) => {
      if (error instanceof SendingStoppedError) onStopped(error.dataset)
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: api.datasets.key() }),
        client.invalidateQueries({ queryKey: api.experiment.key() }),
      ]),
  })
}

/** The problem that a refusal reports for each field, and the whole sentence where it names none that is shown. */
export function problemsOf(
  error: unknown,
  fields: readonly string[],
): { byField: Record<string, string>; rest: string | null } {
  if (error === null) return { byField: {}, rest: null }
  const { message, details } = controlErrorOf(error instanceof SendingStoppedError ? error.cause : error)
  const problems = InputProblem.array().safeParse(details?.problems).data ?? []
  const named = problems.filter(({ path }) => fields.includes(path))
  const byField = Object.fromEntries(named.map(({ path, message: text }) => [path, text]))
  const prefix = error instanceof SendingStoppedError ? `${error.message}: ` : ''
  return {
    byField,
    rest: named.length > 0 && named.length === problems.length && prefix === '' ? null : prefix + message,
  }
}
