package loyaltypartner.pos;

import java.util.function.Consumer;

public final class Service {
    /** Base address, without a slash at its end. */
    public final String url;
    public final String secret;
    /** Called after each attempt, for logs; what it throws is ignored. */
    public final Consumer<Exchange> onExchange;

    public Service(String url, String secret) {
        this(url, secret, exchange -> {});
    }

    public Service(String url, String secret, Consumer<Exchange> onExchange) {
        this.url = url;
        // A line feed at the end of its file is not part of it.
        this.secret = secret.replaceAll("[\r\n]+$", "");
        this.onExchange = onExchange;
    }
}
