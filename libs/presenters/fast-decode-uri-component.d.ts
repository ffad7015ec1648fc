declare module 'fast-decode-uri-component' {
  /** As `decodeURIComponent`, but null where that throws. */
  function decodeUriComponent(text: string): string | null
  export = decodeUriComponent
}
