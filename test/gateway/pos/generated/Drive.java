import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.DefaultApi;
import org.openapitools.client.model.*;
import org.openapitools.client.model.Error;

/** Sells one basket with the generated client: arguments are the address, the secret and a GUID. */
class Drive {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    URI service = URI.create(args[0]);
    client.setScheme(service.getScheme()).setHost(service.getHost()).setPort(service.getPort()).setBasePath("");

    Totals totals = new Totals().gross(9000L).lineDiscount(0L).orderDiscount(0L).net(9000L);
    Line line = new Line().lineId("1").productId("cinnamon-bun").quantity(new BigDecimal(2)).unitPrice(4500L)
        .noDiscount(false).totals(totals);
    Context context = new Context().venueId("oslo-cafe").baxId("7100001").cashRegisterId("1").channel(Context.ChannelEnum.POS);
    Basket basket = new Basket().calculationId(args[2]).loyaltyId("TEST-20-PERCENT").currency("NOK")
        .requestedAt("2026-11-23T12:00:00+01:00").context(context).lines(List.of(line)).totals(totals);
    sign(client, args[1], basket);
    BasketAnswer answer = new DefaultApi(client).calculateBasket(args[2], basket, null);
    System.out.println(answer.getStatus() + " " + answer.getBasket().getTotals().getNet());

    SaleEvent sale = new SaleEvent().calculationId(args[2]).status(SaleEvent.StatusEnum.APPLIED).transactionId("1").currency("NOK")
        .paidTotal(7200L).loyaltyDiscountTotal(1800L).occurredAt("2026-11-23T12:00:20+01:00").context(context);
    sign(client, args[1], sale);
    System.out.println(new DefaultApi(client).recordSale(args[2], sale, null).getResult());

    basket.getLines().get(0).setUnitPrice(-1L);
    sign(client, args[1], basket);
    try {
      new DefaultApi(client).calculateBasket(args[2], basket, null);
    } catch (ApiException refused) {
      Error error = client.getObjectMapper().readValue(refused.getResponseBody(), Error.class);
      System.out.println(refused.getCode() + " " + error.getError().getDetails().getFaults().get(0).getField());
    }
  }

  /** The next call carries the signature of this body, as the client will write it. */
  private static void sign(ApiClient client, String secret, Object body) throws Exception {
    byte[] bytes = client.getObjectMapper().writeValueAsBytes(body);
    long t = System.currentTimeMillis() / 1000;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
    mac.update((t + ".").getBytes(StandardCharsets.US_ASCII));
    StringBuilder hex = new StringBuilder();
    for (byte each : mac.doFinal(bytes)) hex.append(String.format("%02x", each));
    client.setRequestInterceptor(request -> request.setHeader("POS-Signature", "t=" + t + ",v1=" + hex));
  }
}
