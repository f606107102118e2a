import { implement } from '@orpc/server'
import { type ControlError, controlContract } from '../../../contract/control/index.ts'

/** The contract to be filled; what `refuse` throws leaves as a control error. */
export const os = implement(controlContract).use(async ({ next, errors }) => {
  try {
    return await next()
  } catch (error) {
    if (error instanceof Error && 'control' in error)
      throw (errors as { CONTROL: (options: object) => Error }).CONTROL({ data: error.control })
    throw error
  }
})

export function refuse(code: ControlError['code'], message: string): never {
  throw Object.assign(new Error(message), { control: { code, message, retryable: false } })
}

/** As a refused input: the problem with its path. */
export function refuseField(path: string, message: string): never {
  throw Object.assign(new Error(message), {
    control: {
      code: 'input_invalid',
      message: `${path}: ${message}`,
      retryable: false,
      details: { problems: [{ path, message }] },
    },
  })
}
