import { PLATFORM_GATEWAY } from '../../contract/manifests/evaluation.ts'
import type { Credentials } from '../lib/trust/credential-headers.ts'
import { createGatewayClient } from '../lib/services/gateway-client.ts'
import { createBuiltinJudge, isBuiltinJudge, isBuiltinName } from './builtin/builtin-judges.ts'
import { createChatJudge } from './chat-judge.ts'
import type { JudgeClient } from './judge-client.ts'
import type { LeakScan } from './leak-scan.ts'
import { modelFamily } from './model-family.ts'
import type { JudgePanel } from './panel-settings.ts'

/** Describes where the platform's own gateway answers, with its own credential. */
export interface PlatformGateway extends Credentials {
  url: string
}

/** Returns true when some judge of the panel is called through the platform's gateway. */
export const needsPlatformGateway = ({ endpoint, models }: JudgePanel): boolean =>
  endpoint === PLATFORM_GATEWAY && models.some((name) => !isBuiltinName(name))

/** The judges of a checked panel. The gateway's credential never goes to a generic endpoint, nor the judges' one to the gateway. */
export function createJudges(
  panel: JudgePanel,
  gateway: PlatformGateway | null,
  scan: LeakScan,
  timing: { timeoutMs?: number; backoffMs?: number } = {},
): JudgeClient[] {
  const isPlatformGateway = panel.endpoint === PLATFORM_GATEWAY
  return panel.models.map((model) => {
    if (isBuiltinJudge(model)) return createBuiltinJudge(model, panel.families)
    if (isPlatformGateway && gateway === null) throw new TypeError(`${model}: no gateway was given to call it through`)
    const target: PlatformGateway = isPlatformGateway ? gateway! : { url: panel.endpoint, apiKey: panel.apiKey }
    return createChatJudge({
      model,
      family: modelFamily(model, panel.families),
      client: createGatewayClient(target),
      isPlatformGateway,
      endpoint: target.url,
      temperature: panel.temperature,
      think: panel.think,
      scan,
      ...timing,
    })
  })
}
