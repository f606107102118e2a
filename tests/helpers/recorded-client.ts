import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/fetch'
import { isContractProcedure } from '@orpc/contract'
import { controlContract } from '../../contract/control/router.ts'
import type { ControlClient } from './engine-process.ts'

/** Every procedure of the contract as `group.name`. */
export function procedureNames(part: object = controlContract, path: string[] = []): string[] {
  return Object.entries(part).flatMap(([name, value]: [string, object]) =>
    isContractProcedure(value) ? [[...path, name].join('.')] : procedureNames(value, [...path, name]),
  )
}

/** A client that remembers which procedures have answered. */
export function recordedClient(url: string, token: string): { client: ControlClient; answered: Set<string> } {
  const answered = new Set<string>()
  const link = new RPCLink({
    url: `${url}/control`,
    headers: { authorization: `Bearer ${token}` },
    interceptors: [
      async (call) => {
        const result = await call.next()
        answered.add(call.path.join('.'))
        return result
      },
    ],
  })
  return { client: createORPCClient(link), answered }
}
