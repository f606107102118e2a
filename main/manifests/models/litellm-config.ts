import { stringify } from 'yaml'
import type { AliasDeclaration } from '../../../contract/manifests/consumer.ts'

/** Environment variable of the proxy with the platform's operator token. */
export const LITELLM_PLATFORM_KEY = 'MATRIX_PLATFORM_TOKEN'
/** Environment variable of the proxy with the key that it asks its callers for. */
export const LITELLM_CALLER_KEY = 'LITELLM_MASTER_KEY'

/**
 * The configuration of a LiteLLM proxy that answers every alias: as YAML, without any key. Each alias is an OpenAI-compatible model at the route
 * of its base approach. Unknown fields are passed on (`cache`, `seed`), and a call is not repeated: the runner counts and repeats calls itself.
 *
 * @param aliases in the order in which the proxy lists them
 * @param options `platform`: base address of the platform; `routePrefix`: where its plugin is mounted
 */
export function litellmConfig(
  aliases: Iterable<Pick<AliasDeclaration, 'alias' | 'base'>>,
  { platform, routePrefix }: { platform: string; routePrefix: string },
): string {
  const root = platform.replace(/\/+$/, '').replace(/\/v1$/, '')
  return stringify({
    model_list: [...aliases].map(({ alias, base }) => ({
      model_name: alias,
      litellm_params: {
        model: `openai/${alias}`,
        api_base: `${root}${routePrefix}/${base}/v1`,
        api_key: `os.environ/${LITELLM_PLATFORM_KEY}`,
      },
    })),
    litellm_settings: { drop_params: false, num_retries: 0 },
    general_settings: { master_key: `os.environ/${LITELLM_CALLER_KEY}` },
  })
}
