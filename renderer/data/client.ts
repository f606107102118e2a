import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/fetch'
import type { ContractRouterClient } from '@orpc/contract'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import type { ControlContract } from '../../contract/control/router.ts'
import { pageKeyHeader } from './page-key.ts'

/** The control API, on the address that served the page: the engine's own, or the desktop app's scheme that forwards to it. */
export const control: ContractRouterClient<ControlContract> = createORPCClient(
  new RPCLink({ url: `${location.origin}/control`, headers: pageKeyHeader }),
)

/** Query options, keys and mutation options of every procedure. */
export const api = createTanstackQueryUtils(control)
