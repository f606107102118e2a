import { PLATFORM_GATEWAY } from '../../contract/manifests/evaluation.ts'
import type { Credentials } from '../lib/trust/credential-headers.ts'
import { createGatewayClient, type GatewayClient } from '../lib/services/gateway-client.ts'
import { createBuiltinJudge, isBuiltinJudge, isBuiltinName } from './builtin/builtin-judges.ts'
import { createChatJudge } from './chat-judge.ts'
import type { JudgeClient } from './judge-client.ts'
import type { LeakScan } from './leak-scan.ts'
import { modelFamily } from './model-family.ts'
import type { JudgePanel, RequestedPanel } from './panel-settings.ts'

/** Describes where the platform's own gateway answers, with its own credential. */
export interface PlatformGateway extends Credentials {
  url: string
}

/** Returns true when some judge of the panel is called through the platform's gateway. */
export const needsPlatformGateway = ({ endpoint, models }: RequestedPanel): boolean =>
  endpoint === PLATFORM_GATEWAY && models.some((name) => !isBuiltinName(name))

/**
 * The judges of a checked panel. The gateway's credential never goes to a generic endpoint, nor the judges' one to the gateway. Chat judges of one endpoint
 * are slowed down together when it refuses some calls as too many, with other processes where `pacesDir` names their folder.
 */
export function createJudges(
  panel: JudgePanel,
  gateway: PlatformGateway | null,
  scan: LeakScan,
  { pacesDir, ...timing }: { timeoutMs?: number; backoffMs?: number; pacesDir?: string } = {},
): JudgeClient[] {
  const isPlatformGateway = panel.endpoint === PLATFORM_GATEWAY
  const target = isPlatformGateway ? gateway : { url: panel.endpoint, apiKey: panel.apiKey }
  const paces = pacesDir === undefined ? {} : { pacesDir }
  let client: GatewayClient | null = null
  return panel.models.map((model) => {
    if (isBuiltinJudge(model)) return createBuiltinJudge(model, panel.families)
    if (target === null) throw new TypeError(`${model}: no gateway was given to call it through`)
    client ??= createGatewayClient({ ...target, ...paces })
    return createChatJudge({
      model,
      family: modelFamily(model, panel.families),
      client,
      isPlatformGateway,
      endpoint: target.url,
      temperature: panel.temperature,
      think: panel.think,
      scan,
      ...timing,
    })
  })
}
