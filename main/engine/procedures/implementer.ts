import { implement } from '@orpc/server'
import { controlContract } from '../../../contract/control/router.ts'
import type { ControlContext } from '../http/control-route.ts'

/** The contract, to be filled with handlers that know who calls. */
export const control = implement(controlContract).$context<ControlContext>()
