/** How HTTP libraries are kept from sending a POST again, each in one setting: clients/README.md explains them. */
const settings: readonly (readonly [library: string, setting: string])[] = [
  ['Go', 'request.GetBody = nil'],
  ['libcurl', 'CURLOPT_FORBID_REUSE or CURLOPT_FRESH_CONNECT'],
  ['OkHttp', 'retryOnConnectionFailure(false)'],
  ['HttpURLConnection', '-Dsun.net.http.retryPost=false'],
  ['Java HttpClient', 'no jdk.httpclient.enableAllMethodRetry'],
  ['.NET', 'DisableForUnsafeHttpMethods() in a resilience handler'],
  ['undici', 'no POST in the methods of RetryAgent or interceptors.retry'],
  ['urllib3', 'retries=False'],
]

/** What a request that comes again at once means. */
export const silentRepeatHint = `where your code does not do this, your HTTP library repeats by itself: ${settings.map(([library, setting]) => `${library}: ${setting}`).join('; ')}`
