import { useMutation } from '@tanstack/react-query'
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
export class SendingStoppedError extends Error {
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
  return useMutation({
    meta: { refreshes: [api.datasets.key(), api.experiment.key()] },
    mutationFn: send,
    onError: (error) => {
      if (error instanceof SendingStoppedError) onStopped(error.dataset)
    },
  })
}
